"""What a whole run comes to: the exit code that every command and report agrees on."""

from __future__ import annotations

from collections.abc import Sequence

from seatrial.runs.records import CaseTally, RunRecord, Tally

INTERRUPTED = "interrupted"


def exit_code(run: RunRecord, tally: Tally, cases: Sequence[CaseTally]) -> int:
    """0 all passed; 1 a case failed, a metric errored or a budget ran out; 2 nothing was checked; 3 only the outside
    world failed; 130 interrupted.

    A case of several tries passes when as many of them pass as it requires. A run that lacks planned trials never does.
    """
    if run.stopped_by == INTERRUPTED:
        return 130
    if run.stopped_by is not None or _has_failed(tally, cases) or tally.total < run.planned:
        return 1
    if any(_is_unmet(case) for case in cases):
        return 3
    return 0 if tally.passed else 2


def is_cut_short(run: RunRecord, tally: Tally, cases: Sequence[CaseTally]) -> bool:
    """Whether a budget ended the run before anything failed in it."""
    return run.stopped_by not in (None, INTERRUPTED) and not _has_failed(tally, cases)


def _has_failed(tally: Tally, cases: Sequence[CaseTally]) -> bool:
    return tally.metric_errors > 0 or any(_is_unmet(case) and not _is_outside_fault(case) for case in cases)


def _is_unmet(case: CaseTally) -> bool:
    return case.checked > 0 and not case.is_met


def _is_outside_fault(case: CaseTally) -> bool:
    """Whether the case would be met, or at least not failed, if the provider had answered each time."""
    return case._replace(passed=case.passed + case.provider_errors).is_met
