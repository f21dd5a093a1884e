"""What each metric comes to over many trials."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import msgspec

from seatrial.metrics.base import Score
from seatrial.stats.agreement import krippendorff_alpha
from seatrial.stats.intervals import UNBOUNDED, Interval, Scale, clustered_interval, mean_interval
from seatrial.stats.repeats import reduced


class MetricSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """One metric over a run. ``scored`` counts the trials with a value; errors and skips have none and are no zeros.

    ``mean`` is None without a value; ``interval_95`` holds the true mean in 95 of 100 runs, tries of a case taken
    together, and is None where it is known only to be finite. ``draws_alpha`` is Krippendorff's, over the draws of a
    judge that was asked several times.
    """

    metric: str
    mean: float | None
    interval_95: Interval | None
    scored: int
    passed: int
    failed: int
    errors: int
    skipped: int
    threshold: float | None = None
    is_lower_better: bool = False
    draws_alpha: float | None = None


def summarize(trials: Iterable[tuple[str, Sequence[Score]]]) -> list[MetricSummary]:
    """The metrics in the order of their first appearance, from the case and the scores of each trial."""
    found: dict[str, _Column] = {}
    for case, scores in trials:
        for score in scores:
            found.setdefault(score.metric, _Column(score)).add(case, score)
    return [column.summary() for column in found.values()]


@dataclass
class _Column:
    """The values of one metric and the cases that they belong to."""

    first: Score
    values: list[float] = field(default_factory=list)
    cases: list[str] = field(default_factory=list)
    draws: list[list[float]] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)

    def add(self, case: str, score: Score) -> None:
        self.outcomes[score.outcome] += 1
        if score.usage is not None and len(draws := _draws_of(score)) > 1:
            self.draws.append(draws)
        if score.value is not None:
            self.values.append(score.value)
            self.cases.append(case)

    def summary(self) -> MetricSummary:
        return MetricSummary(
            metric=self.first.metric,
            mean=self._mean(),
            interval_95=self._interval(),
            scored=len(self.values),
            passed=self.outcomes["passed"],
            failed=self.outcomes["failed"],
            errors=self.outcomes["error"],
            skipped=self.outcomes["skipped"],
            threshold=self.first.threshold,
            is_lower_better=self.first.is_lower_better,
            draws_alpha=krippendorff_alpha(self.draws) if self.draws else None,
        )

    def _mean(self) -> float | None:
        if not self.values:
            return None
        return fmean(self.values) if self.first.reduce == "mean" else fmean(self._by_case())

    def _by_case(self) -> list[float]:
        """One value for the tries of each case."""
        tries: dict[str, list[float]] = {}
        for case, value in zip(self.cases, self.values, strict=True):
            tries.setdefault(case, []).append(value)
        return [reduced(values, self.first.reduce) for values in tries.values()]

    def _interval(self) -> Interval | None:
        if not self.values:
            return None
        scale = _scale_of(self.first)
        if self.first.reduce == "mean":
            interval = clustered_interval(self.values, self.cases, scale=scale)
        else:
            interval = mean_interval(self._by_case(), scale=scale)
        return interval if all(map(math.isfinite, interval)) else None


def _draws_of(score: Score) -> list[float]:
    draws = score.details.get("draws") if isinstance(score.details, dict) else None
    return [draw["value"] for draw in draws] if isinstance(draws, list) else []


def _scale_of(score: Score) -> Scale:
    if score.scale is None:
        return UNBOUNDED
    low, high = score.scale
    return low, math.inf if high is None else high
