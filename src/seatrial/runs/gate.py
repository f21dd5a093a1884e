"""Whether a comparison lets a change through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, get_args

from seatrial.runs.compare import Comparison

FailOn = Literal["worse", "any-regression"]
FAIL_ON: tuple[FailOn, ...] = get_args(FailOn)

_NAMES = 5
_IF_MEANT = "if that is meant, write the baseline anew"


def reasons_to_fail(found: Comparison, fail_on: FailOn) -> list[str]:
    """Why the gate is shut, in sentences; empty when it is open.

    ``worse`` asks for evidence; ``any-regression`` also takes each case that passed and does not any more, and whatever
    is checked no longer or less strictly: cases that are gone or ask something else, thresholds, metrics, tries. Cases
    that were not asked for (``-k``, ``--limit``) count as neither. A side that lacks trials cannot be let through by
    either.
    """
    return list(_reasons(found, fail_on))


def exit_code(found: Comparison, fail_on: FailOn | None) -> int:
    """1 when the gate is shut; 3 when it could not be asked of cases that the outside world spoiled; else 0."""
    if fail_on is None:
        return 0
    if reasons_to_fail(found, fail_on):
        return 1
    return 3 if found.spoiled else 0


def _reasons(found: Comparison, fail_on: FailOn) -> Iterator[str]:
    if found.after.missing:
        count = found.after.missing
        trials = "1 trial of it was" if count == 1 else f"{count:,} trials of it were"
        yield f"{found.after.name} is not whole: {trials} not made"
    if found.verdict == "worse":
        yield f"{found.after.name} is worse than {found.before.name}"
    if fail_on == "worse":
        return
    if found.worse:
        yield f"passed before and not now: {_some([case.case for case in found.worse])}"
    if found.only_before and not found.after.is_part:
        yield f"judged before and gone now: {_some(found.only_before)} ({_IF_MEANT})"
    if found.other_input:
        yield f"of this name, but asking something else now: {_some(found.other_input)} ({_IF_MEANT})"
    if found.lost:
        yield f"judged before and not now: {_some(found.lost)}"
    if found.metrics_lost and not found.after.is_part:
        yield f"measured before and nowhere now: {_some(found.metrics_lost)}"
    if found.eased:
        yield f"asks for less, or something else: {_some(found.eased, '; ')} ({_IF_MEANT})"


def _some(names: Sequence[str], between: str = ", ") -> str:
    more = f" and {len(names) - _NAMES:,} more" if len(names) > _NAMES else ""
    return between.join(names[:_NAMES]) + more
