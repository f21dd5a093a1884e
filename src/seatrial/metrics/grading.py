"""One metric as a run uses it: with its threshold, its retries and its time limit."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass

import msgspec

from seatrial.core.steps import Steps
from seatrial.core.tool_errors import told
from seatrial.errors import ConfigError, MetricError, MissingExtraError, PluginError, SeatrialError
from seatrial.metrics.base import Evidence, Measurement, Metric, Score
from seatrial.metrics.catalog import MetricInfo
from seatrial.metrics.spending import collected
from seatrial.metrics.verdict import decide
from seatrial.stats.repeats import Reducer

_HOPELESS = (ConfigError, MissingExtraError, PluginError)


@dataclass(frozen=True, slots=True)
class GradedMetric:
    """A metric and how its verdict is made.

    ``threshold`` None means scored only. ``retry_on_failure`` is how often an error is tried again; ``timeout_s``
    limits each try. With ``fail_on_error`` an error makes the case errored, also without a threshold. ``name`` is shown
    instead of the metric's own; ``weight``, ``group`` and ``reduce`` are for totals. ``asks`` is a mark of
    what the metric is told to look for.
    """

    metric: Metric
    info: MetricInfo
    threshold: float | None = None
    retry_on_failure: int = 0
    timeout_s: float | None = None
    fail_on_error: bool = False
    weight: float = 1.0
    name: str | None = None
    group: str = ""
    reduce: Reducer = "mean"
    asks: str = ""

    @property
    def shown_name(self) -> str:
        """The name of its scores."""
        return self.name or self.metric.name

    async def grade(self, evidence: Evidence) -> Score:
        """The score; whatever goes wrong is a score with outcome ``error``. Only cancellation gets through."""
        if "model" in self.info.needs:
            with collected() as spending:
                score = await self._graded(evidence)
            return msgspec.structs.replace(score, usage=spending.usage, cost_usd=spending.cost_usd)
        return await self._graded(evidence)

    async def _graded(self, evidence: Evidence) -> Score:
        started = time.monotonic()
        score, attempts = await self._measured(evidence)
        return msgspec.structs.replace(
            score,
            weight=self.weight,
            attempts=attempts,
            duration_s=round(time.monotonic() - started, 6),
            is_fatal=self.fail_on_error and score.outcome == "error",
            is_lower_better=self.info.is_lower_better,
            scale=self.info.told_scale,
            group=self.group,
            reduce=self.reduce,
            asks=self.asks,
        )

    async def _measured(self, evidence: Evidence) -> tuple[Score, int]:
        """The score of the last try, and how many there were."""
        missing = self._missing(evidence)
        if missing is not None:
            return Score(self.shown_name, "skipped", None, self.threshold, missing), 1
        attempts = 0
        while True:
            attempts += 1
            score, can_retry = await self._try_once(evidence)
            if not can_retry or attempts > self.retry_on_failure:
                return score, attempts

    async def _try_once(self, evidence: Evidence) -> tuple[Score, bool]:
        """The score of one try, and whether another try could end better."""
        try:
            limit_s = self.timeout_s
            measured = await (self.metric.measure(evidence) if limit_s is None else self._in_time(evidence, limit_s))
            score = decide(self.shown_name, self._on_scale(measured), self.threshold, self.info)
            return score, score.outcome == "error"
        except SeatrialError as error:
            return self._error(_told(error), error), not isinstance(error, _HOPELESS)
        except GeneratorExit:
            raise
        except BaseException as error:
            if isinstance(error, asyncio.CancelledError) and _is_being_cancelled():
                raise
            return self._error(_told(error)), True

    async def _in_time(self, evidence: Evidence, timeout_s: float) -> Measurement:
        late = MetricError(f"no result within {timeout_s:g} s")
        steps = Steps(self.metric.measure(evidence), timeout_s)
        try:
            async with asyncio.timeout(timeout_s) as limit:
                measured = await steps
        except TimeoutError as error:
            if limit.expired():
                raise late from error
            raise
        if steps.held_too_long:
            raise late
        return measured

    def _missing(self, evidence: Evidence) -> str | None:
        if "ground_truth" in self.info.needs and evidence.ground_truth is None:
            return "the case has no ground_truth"
        if "context" in self.info.needs and not evidence.context:
            return "the trial has no context: no retrieval tool gave a passage and the case names none"
        return None

    def _on_scale(self, measured: Measurement) -> Measurement:
        if measured.value is None or self.info.factor == 1.0:
            return measured
        return msgspec.structs.replace(measured, value=measured.value * self.info.factor)

    def _error(self, reason: str, error: SeatrialError | None = None) -> Score:
        details = error.details if isinstance(error, MetricError) else None
        return Score(self.shown_name, "error", None, self.threshold, reason, details)


def _is_being_cancelled() -> bool:
    """Whether somebody asked the current task to end; a metric may also raise a cancellation by itself."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def _told(error: BaseException) -> str:
    if isinstance(error, SeatrialError):
        return f"{error.message} ({error.hint})" if error.hint else error.message
    if isinstance(error, BaseExceptionGroup):
        return told(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
