"""Weighted totals: of all metrics together, and of those that share a group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import msgspec

from seatrial.metrics.base import Score
from seatrial.stats.intervals import Interval, clustered_interval

ALL = ""
_EVEN = 1.0


class Total(msgspec.Struct, frozen=True, omit_defaults=True):
    """One total, 0 to 1: in each trial the mean of its scores by their weights, each as a share of its scale; then the
    mean over trials. ``group`` is empty for the total of all.

    Where lower is better the share is turned round; on a scale without an end a score is 1 when it passed and else 0.
    Scores in error and skipped ones have no value and are counted instead.
    """

    group: str
    mean: float
    interval_95: Interval
    trials: int
    passed: int
    failed: int
    missing: int


def totals_of(trials: Iterable[tuple[str, Sequence[Score]]]) -> list[Total]:
    """The total of all and of each group, from the case and the scores of each trial.

    Empty where the file names no group and no weight: then there is nothing that the metrics' own means do not tell.
    """
    sums: dict[str, _Sum] = {}
    is_asked = False
    for case, scores in trials:
        is_asked = is_asked or any(map(has_say, scores))
        for group in dict.fromkeys((ALL, *(score.group for score in scores))):
            chosen = [score for score in scores if group in (ALL, score.group)]
            sums.setdefault(group, _Sum()).add(case, chosen)
    return [found for group, each in sums.items() if is_asked and (found := each.total(group)) is not None]


def has_say(score: Score) -> bool:
    """Whether the file gave the metric a group, or a weight of its own: then totals are told."""
    return bool(score.group) or score.weight != _EVEN


def share_of(score: Score) -> float | None:
    """The score as a share of its scale, 1 being best; None without a value."""
    if score.value is None:
        return None
    low, high = (0.0, 1.0) if score.scale is None else score.scale
    if high is None:
        return float(score.outcome == "passed") if score.threshold is not None else None
    share = (score.value - low) / (high - low)
    return 1 - share if score.is_lower_better else share


@dataclass
class _Sum:
    values: list[float] = field(default_factory=list)
    cases: list[str] = field(default_factory=list)
    passed: int = 0
    failed: int = 0
    missing: int = 0

    def add(self, case: str, scores: Sequence[Score]) -> None:
        shares = [(share, score.weight) for score in scores if (share := share_of(score)) is not None]
        self.passed += sum(score.outcome == "passed" for score in scores)
        self.failed += sum(score.outcome == "failed" for score in scores)
        self.missing += sum(score.value is None for score in scores)
        if shares:
            weight = sum(each for _, each in shares)
            self.values.append(min(max(sum(share * each for share, each in shares) / weight, 0.0), 1.0))
            self.cases.append(case)

    def total(self, group: str) -> Total | None:
        if not self.values:
            return None
        interval = clustered_interval(self.values, self.cases, scale=(0.0, 1.0))
        return Total(group, fmean(self.values), interval, len(self.values), self.passed, self.failed, self.missing)
