"""What a whole run comes to: the exit code that every command and report agrees on."""

from __future__ import annotations

from seatrial.runs.records import RunRecord, Tally

INTERRUPTED = "interrupted"


def exit_code(run: RunRecord, tally: Tally) -> int:
    """0 all passed; 1 something failed or a limit ended the run; 2 nothing was checked; 3 the outside world failed;
    130 interrupted.
    """
    if run.stopped_by == INTERRUPTED:
        return 130
    own_errors = tally.errored - tally.provider_errors
    if tally.failed or own_errors or tally.metric_errors or run.stopped_by is not None:
        return 1
    if tally.provider_errors:
        return 3
    return 0 if tally.passed else 2
