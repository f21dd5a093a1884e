"""One metric as a run uses it: it always ends in a score."""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from seatrial.errors import MetricError, MissingExtraError, ProviderError
from seatrial.installed import install_command
from seatrial.metrics import catalog
from seatrial.metrics.base import Evidence, Measurement, Score
from seatrial.metrics.catalog import MetricInfo
from seatrial.metrics.grading import GradedMetric
from seatrial.metrics.outcome import outcome_of

TRIAL = Evidence("hi", "the answer", ground_truth="the answer")
INFO = MetricInfo("scripted", "computed")


@dataclass
class ScriptedMetric:
    """Gives, or raises, one thing after the other."""

    results: list[Any]
    name: str = "scripted"
    asked: int = field(default=0, init=False)

    async def measure(self, evidence: Evidence) -> Measurement:
        del evidence
        found = self.results[min(self.asked, len(self.results) - 1)]
        self.asked += 1
        if isinstance(found, BaseException):
            raise found
        return Measurement(found) if isinstance(found, float) else found


@pytest.mark.parametrize(
    ("raised", "reason"),
    [
        (MetricError("no verdict in the reply", details={"reply": "N/A"}), "no verdict in the reply"),
        (ProviderError("the host refused", hint="check the key"), "the host refused (check the key)"),
        (ZeroDivisionError("division by zero"), "ZeroDivisionError: division by zero"),
        (SystemExit(3), "SystemExit: 3"),
        (RecursionError(), "RecursionError"),
    ],
)
async def test_h011_whatever_a_metric_raises_is_a_score_with_outcome_error(raised: BaseException, reason: str) -> None:
    score = await GradedMetric(ScriptedMetric([raised]), INFO, 0.5).grade(TRIAL)
    assert (score.outcome, score.value, score.reason) == ("error", None, reason)
    assert score.threshold == 0.5


async def test_p014_the_raw_reply_of_an_unreadable_judge_is_kept() -> None:
    raised = MetricError("no verdict in the reply", details={"reply": "N/A"})
    assert (await GradedMetric(ScriptedMetric([raised]), INFO, 0.5).grade(TRIAL)).details == {"reply": "N/A"}


async def test_cancellation_passes_through() -> None:
    class Waiting:
        name = "waiting"

        async def measure(self, _evidence: Evidence) -> Measurement:
            begun.set()
            await asyncio.Event().wait()
            raise AssertionError

    begun = asyncio.Event()
    grading = asyncio.create_task(GradedMetric(Waiting(), INFO).grade(TRIAL))
    await begun.wait()
    grading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await grading


@pytest.mark.parametrize("error", [asyncio.CancelledError(), SystemExit(0), KeyboardInterrupt()])
async def test_a_metric_that_ends_itself_is_an_error_and_nothing_else(error: BaseException) -> None:
    score = await GradedMetric(ScriptedMetric([error]), INFO, 0.5).grade(TRIAL)
    assert score.outcome == "error"
    assert type(error).__name__ in score.reason


async def test_h011_an_error_is_tried_again_as_often_as_asked_and_a_low_score_is_not() -> None:
    shaky = ScriptedMetric([MetricError("busy"), 7.0, 0.9])
    score = await GradedMetric(shaky, INFO, 0.5, retry_on_failure=2).grade(TRIAL)
    assert (score.outcome, score.attempts) == ("passed", 3)

    stubborn = ScriptedMetric([MetricError("busy")])
    score = await GradedMetric(stubborn, INFO, 0.5, retry_on_failure=2).grade(TRIAL)
    assert (score.outcome, stubborn.asked) == ("error", 3)

    low = ScriptedMetric([0.1, 0.9])
    score = await GradedMetric(low, INFO, 0.5, retry_on_failure=2).grade(TRIAL)
    assert (score.outcome, low.asked) == ("failed", 1)


async def test_what_is_not_installed_is_not_tried_again() -> None:
    metric = ScriptedMetric([MissingExtraError("metrics", "the metric bleu")])
    score = await GradedMetric(metric, INFO, 0.5, retry_on_failure=3).grade(TRIAL)
    assert metric.asked == 1
    assert score.reason == f"the metric bleu needs the extra [metrics] ({install_command('metrics')})"


class EndlessMetric:
    name = "endless"

    async def measure(self, evidence: Evidence) -> Measurement:
        await asyncio.Event().wait()
        raise AssertionError(evidence)


async def test_h011_a_metric_that_takes_too_long_is_an_error() -> None:
    score = await GradedMetric(EndlessMetric(), INFO, 0.5, timeout_s=0.01).grade(TRIAL)
    assert (score.outcome, score.reason) == ("error", "no result within 0.01 s")


class BlockingMetric(EndlessMetric):
    name = "blocking"

    async def measure(self, evidence: Evidence) -> Measurement:
        end = time.perf_counter() + 0.03
        while time.perf_counter() < end:
            pass
        return Measurement(float(bool(evidence.output)))


async def test_h011_a_metric_that_holds_the_event_loop_beyond_its_time_is_an_error_once_it_returns() -> None:
    score = await GradedMetric(BlockingMetric(), INFO, 0.5, timeout_s=0.01).grade(TRIAL)
    assert (score.outcome, score.reason) == ("error", "no result within 0.01 s")


async def test_h011_scale_100_moves_values_and_thresholds_together() -> None:
    info = catalog.info("bleu").on_scale(100)
    half = Evidence("hi", "Order 4711 shipped.", ground_truth="Order 4711 shipped on 3 May.")
    score = await GradedMetric(catalog.build("bleu"), info, threshold=20).grade(half)
    assert score.outcome == "passed"
    assert score.value is not None
    assert 20 < score.value <= 100


@pytest.mark.parametrize(("needs", "reason"), [("ground_truth", "no ground_truth"), ("context", "no context")])
async def test_p021_a_metric_without_what_it_needs_is_skipped_and_never_passes(needs: Any, reason: str) -> None:
    info = MetricInfo("scripted", "computed", needs=frozenset({needs}))
    score = await GradedMetric(ScriptedMetric([1.0]), info, 0.5).grade(Evidence("hi", "answer"))
    assert score.outcome == "skipped"
    assert reason in score.reason
    assert outcome_of([score]) == "errored"


def test_a_missing_library_names_the_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sacrebleu.metrics.bleu", None)
    monkeypatch.delitem(sys.modules, "seatrial.metrics.text.bleu", raising=False)
    with pytest.raises(MissingExtraError) as caught:
        catalog.build("bleu")
    assert caught.value.message == "the metric bleu needs the extra [metrics]"


def score(outcome: Any, threshold: float | None = 0.5) -> Score:
    return Score("m", outcome, 0.5 if outcome in ("passed", "failed", "scored") else None, threshold)


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [
        ([], "unchecked"),
        ([score("scored", None)], "unchecked"),
        ([score("passed")], "passed"),
        ([score("passed"), score("scored", None)], "passed"),
        ([score("passed"), score("skipped")], "passed"),
        ([score("passed"), score("failed")], "failed"),
        ([score("failed"), score("error")], "failed"),
        ([score("passed"), score("error")], "errored"),
        ([score("passed"), score("error", None)], "passed"),
        ([score("skipped")], "errored"),
        ([score("skipped"), score("scored", None)], "errored"),
        ([score("skipped", None)], "errored"),
        ([score("error", None)], "errored"),
        ([score("passed"), Score("m", "error", is_fatal=True)], "errored"),
    ],
)
def test_p016_the_outcome_of_a_case_follows_from_its_metrics(scores: list[Score], outcome: str) -> None:
    assert outcome_of(scores) == outcome
    assert outcome_of(scores[::-1]) == outcome


def test_p021_an_empty_answer_never_passes_unless_it_was_asked_for() -> None:
    assert outcome_of([score("passed")], answer=" ") == "failed"
    assert outcome_of([score("passed")], answer="\u200b\ufeff") == "failed"
    assert outcome_of([score("passed")], answer="x") == "passed"
    asked_for = Score("silence", "passed", 1.0, 1.0, is_empty_right=True)
    assert outcome_of([score("passed"), asked_for], answer="") == "passed"


async def test_h011_fail_on_error_marks_the_error_for_the_case() -> None:
    kept = await GradedMetric(ScriptedMetric([MetricError("no")]), INFO, fail_on_error=True).grade(TRIAL)
    assert kept.is_fatal
    assert not (await GradedMetric(ScriptedMetric([MetricError("no")]), INFO).grade(TRIAL)).is_fatal


@pytest.mark.parametrize("value", ["high", float("nan"), None, [1]])
async def test_p021_nonsense_from_a_custom_metric_is_an_error(value: Any) -> None:
    assert (await GradedMetric(ScriptedMetric([Measurement(value)]), INFO, 0.0).grade(TRIAL)).outcome == "error"
