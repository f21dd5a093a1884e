"""What happens while a suite runs, told as it happens. Reporters and the store of a later viewer listen."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from seatrial.runs.records import RunRecord, Tally, TrialKey, TrialRecord


class Preparing(msgspec.Struct, frozen=True, tag=True):
    """Something is built before the first trial, an index say; ``total`` is None when nobody knows it."""

    what: str
    done: int = 0
    total: int | None = None


class Prepared(msgspec.Struct, frozen=True, tag=True):
    """Something was built before the first trial: in one line, what was done."""

    what: str


class Warned(msgspec.Struct, frozen=True, tag=True):
    """Something that the user should know and that does not stop the run."""

    message: str


class RunStarted(msgspec.Struct, frozen=True, tag=True):
    """The plan stands. ``kept`` are results of an earlier part of this run, when it is resumed."""

    run: RunRecord
    kept: Tally = Tally()


class TrialStarted(msgspec.Struct, frozen=True, tag=True):
    """A trial is under way."""

    key: TrialKey


class TrialFinished(msgspec.Struct, frozen=True, tag=True):
    """A trial is over and committed to the store."""

    trial: TrialRecord


class Stopping(msgspec.Struct, frozen=True, tag=True):
    """No further trial is started; ``reason`` is what will stand in the run's ``stopped_by``."""

    reason: str


class RunFinished(msgspec.Struct, frozen=True, tag=True):
    """Always the last event. The tally is counted from the stored trials."""

    run: RunRecord
    tally: Tally


RunEvent = Preparing | Prepared | Warned | RunStarted | TrialStarted | TrialFinished | Stopping | RunFinished
RunListener = Callable[[RunEvent], None]
