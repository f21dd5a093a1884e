"""What a whole run comes to: the exit code that every command and report agrees on."""

from __future__ import annotations

from collections.abc import Sequence

from seatrial.runs.records import CaseTally, RunRecord, Tally

INTERRUPTED = "interrupted"


def exit_code(run: RunRecord, tally: Tally, cases: Sequence[CaseTally]) -> int:
    """0 all passed; 1 a case failed or a limit ended the run; 2 nothing was checked; 3 only the outside world failed;
    130 interrupted.

    A case of several tries passes when as many of them pass as it requires.
    """
    if run.stopped_by == INTERRUPTED:
        return 130
    unmet = [case for case in cases if case.checked and not case.is_met]
    if run.stopped_by is not None or tally.metric_errors or any(not _is_outside_fault(case) for case in unmet):
        return 1
    if unmet:
        return 3
    return 0 if tally.passed else 2


def _is_outside_fault(case: CaseTally) -> bool:
    """Whether the case would be met, or at least not failed, if the provider had answered each time."""
    return case._replace(passed=case.passed + case.provider_errors).is_met
