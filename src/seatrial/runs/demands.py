"""What a case asks of the agent, before and now: where that is less, a pass is no proof of anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seatrial.runs.sides import CaseSide, Side

_TOLERANCE = 1e-9


def eased(before: Side, after: Side, pairs: Sequence[tuple[CaseSide, CaseSide]]) -> list[str]:
    """What the second side asks less for, in words: thresholds, metrics and tries that must pass, each once."""
    told: dict[str, None] = {}
    for one, other in pairs:
        told.update(dict.fromkeys(_eased_metrics(before, after, one, other)))
        if _share_needed(other) < _share_needed(one) - _TOLERANCE:
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


def _is_lower_demand(old: float, new: float, *, is_lower_better: bool) -> bool:
    return new > old + _TOLERANCE if is_lower_better else new < old - _TOLERANCE


def _share_needed(case: CaseSide) -> float:
    """The share of tries that must pass; all of them where nothing is said."""
    return 1.0 if case.require is None else min(case.require / max(case.checked + case.unjudged, 1), 1.0)


def _needed(case: CaseSide) -> str:
    tries = case.checked + case.unjudged
    return f"{tries if case.require is None else case.require} of {tries} tries"
