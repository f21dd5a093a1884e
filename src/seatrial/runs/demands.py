"""What a case asks of the agent, before and now: where that is less, or something else, a pass proves nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from seatrial.runs.sides import GROUND_TRUTH, CaseSide, Side

_TOLERANCE = 1e-9


def eased(before: Side, after: Side, pairs: Sequence[tuple[CaseSide, CaseSide]]) -> list[str]:
    """What the second side asks less for, or otherwise, each in words and once: thresholds, metrics, tries to pass."""
    told: dict[str, None] = {}
    for one, other in pairs:
        told.update(dict.fromkeys(_eased_metrics(before, after, one, other)))
        told.update(dict.fromkeys(_other_demands(one, other)))
        if _share_needed(other) < _share_needed(one) - _TOLERANCE or _needed_passes(other) < _needed_passes(one):
            told[f"{one.title} passes with {_needed(other)} now, {_needed(one)} before"] = None
    return list(told)


def _eased_metrics(before: Side, after: Side, one: CaseSide, other: CaseSide) -> Iterator[str]:
    for metric in one.scores:
        old = before.threshold(one, metric)
        if old is None or metric not in after.metrics:
            continue
        if metric not in other.scores:
            if other.has_passed:
                yield f"{metric} is not measured in {one.title}"
            continue
        new = after.threshold(other, metric)
        if new is None:
            yield f"{metric} has no threshold now, {old:g} before"
        elif _is_lower_demand(old, new, is_lower_better=before.metrics[metric].is_lower_better):
            yield f"the threshold of {metric} is {new:g} now, {old:g} before"


def _other_demands(one: CaseSide, other: CaseSide) -> Iterator[str]:
    """What was looked for and is not any more, although a metric of that name is there; more than before is fine."""
    if not one.demands or not other.demands:
        return
    for demand in Counter(one.demands) - Counter(other.demands):
        metric, _, _ = demand.rpartition(":")
        if metric == GROUND_TRUTH:
            yield f"the ground_truth of {one.title} is another one"
        elif any(still.rpartition(":")[0] == metric for still in other.demands) or metric not in one.scores:
            yield f"{metric} looks for something else in {one.title}"


def _is_lower_demand(old: float, new: float, *, is_lower_better: bool) -> bool:
    return new > old + _TOLERANCE if is_lower_better else new < old - _TOLERANCE


def _share_needed(case: CaseSide) -> float:
    """The share of tries that must pass; all of them where nothing is said."""
    return 1.0 if case.require is None else min(case.require / max(case.checked + case.unjudged, 1), 1.0)


def _needed_passes(case: CaseSide) -> int:
    return case.checked + case.unjudged if case.require is None else case.require


def _needed(case: CaseSide) -> str:
    tries = case.checked + case.unjudged
    return f"{_needed_passes(case)} of {tries} {'try' if tries == 1 else 'tries'}"
