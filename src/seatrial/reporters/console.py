"""The run on the terminal: what happens while it runs, then the results and the verdict."""

from __future__ import annotations

import os
import time
from typing import TextIO

from rich.console import Console
from rich.text import Text

from seatrial.reporters import words
from seatrial.reporters.console_live import LiveArea
from seatrial.reporters.console_report import CALLER, print_report
from seatrial.reporters.console_table import STYLES
from seatrial.reporters.plain import Glyphs, one_line
from seatrial.reporters.report import Report
from seatrial.reporters.rows import SIGNS
from seatrial.reporters.ways_on import Caller
from seatrial.runs.events import (
    Prepared,
    Preparing,
    RunEvent,
    RunFinished,
    RunStarted,
    Stopping,
    TrialFinished,
    TrialStarted,
    Warned,
)
from seatrial.runs.records import RunRecord, Tally, TrialRecord
from seatrial.runs.store import RunStore

_PLAIN_WIDTH = 120
_HEARTBEAT_S = 10.0
_QUIET_S = 5.0


class OpenConsole(Console):
    """A console whose reader may leave: that is for the caller to know, and no reason to end the process."""

    def on_broken_pipe(self) -> None:
        """Lets the error through."""
        raise


def console_on(stream: TextIO) -> Console:
    """A console that shows texts as they are: no markup, no emoji codes, no guessed colours."""
    is_terminal = stream.isatty()
    width = None if is_terminal or os.environ.get("COLUMNS") else _PLAIN_WIDTH
    return OpenConsole(file=stream, width=width, markup=False, emoji=False, highlight=False, soft_wrap=not is_terminal)


class ConsoleReporter:
    """Follows a run on a stream: with moving progress on a terminal, line by line elsewhere.

    When the stream can be written no more, it falls silent, and ``lost`` says why; the run goes on.
    """

    def __init__(self, stream: TextIO, store: RunStore, caller: Caller = CALLER) -> None:
        self._caller = caller
        self._console = console_on(stream)
        self._glyphs = Glyphs(stream.encoding or "utf-8")
        self._store = store
        self._live = LiveArea(self._console, self._glyphs) if self._console.is_terminal else None
        self._counted = 0
        self._failed = 0
        self._planned = 0
        self.lost: OSError | None = None
        self._last_line = self._start = time.monotonic()
        self._untold: list[Text] = []

    def __call__(self, event: RunEvent) -> None:
        """Shows one event."""
        if self.lost is not None:
            return
        try:
            self._show(event)
        except OSError as error:
            self._fall_silent(error)

    def _show(self, event: RunEvent) -> None:
        match event:
            case Preparing():
                self._preparing(event)
            case Prepared(what):
                self._line(Text(one_line(what)))
            case Warned(message):
                self._line(Text.assemble(("warning: ", "yellow"), one_line(message)))
            case RunStarted(run, kept):
                self._started(run, kept)
            case TrialStarted(key):
                if self._live is not None:
                    self._live.trial_started(key)
            case TrialFinished(trial):
                self._finished_trial(trial)
            case Stopping(reason):
                self._stopping(reason)
            case RunFinished(run, tally):
                self.close()
                print_report(Report(run, tally, self._store), self._console, self._glyphs, self._caller)

    def open(self) -> None:
        """Begins to draw."""
        if self._live is not None:
            self._live.open()

    def close(self) -> None:
        """Leaves the terminal as it was, whatever happened."""
        if self._live is not None and self.lost is None:
            try:
                self._live.close()
            except OSError as error:
                self._fall_silent(error)

    def _fall_silent(self, error: OSError) -> None:
        self.lost = error
        self._console.quiet = True

    def _preparing(self, event: Preparing) -> None:
        amount = "" if event.total is None else f" {event.done:,}/{event.total:,}"
        text = f"{one_line(event.what)}{amount}"
        if self._live is not None:
            self._live.note(text)
        elif time.monotonic() - self._last_line > _HEARTBEAT_S:
            self._line(Text(text))

    def _started(self, run: RunRecord, kept: Tally) -> None:
        self._start = time.monotonic()
        self._planned = run.planned
        self._counted = kept.total - kept.not_run
        if self._live is not None:
            self._live.begin(run.planned, kept)
        self._line(Text(self._glyphs(_heading(run)), "bold"))
        if self._counted:
            self._line(Text(f"going on with run {run.id}: {self._counted:,} of {run.planned:,} were done before"))

    def _finished_trial(self, trial: TrialRecord) -> None:
        self._counted += 1
        is_failure = trial.outcome in ("failed", "errored")
        self._failed += is_failure
        if self._live is not None:
            self._live.trial_finished(trial, next(words.why(trial), ""))
        elif is_failure:
            reason = next(words.why(trial), "")
            sign = f"{self._glyphs(SIGNS[trial.outcome])} {one_line(trial.case)}"
            self._untold.append(Text.assemble((sign, STYLES[trial.outcome]), f"  {one_line(reason)}".rstrip()))
            self._tell_failures()
        elif time.monotonic() - self._last_line > _HEARTBEAT_S:
            self._line(Text(f"{self._counted:,} of {self._planned:,} done, {self._failed:,} not passed"))

    def _tell_failures(self) -> None:
        """Failures as they come, once it is clear that the results will not be there in a moment anyway."""
        if time.monotonic() - self._start > _QUIET_S:
            for line in self._untold:
                self._line(line)
            self._untold.clear()

    def _stopping(self, reason: str) -> None:
        told = words.STOPPED_BY.get(reason, reason)
        if self._live is not None:
            self._live.note(f"{told}: finishing what is under way (again to quit at once)")
        else:
            self._line(Text(f"{told}: finishing what is under way"))

    def _line(self, text: Text) -> None:
        self._last_line = time.monotonic()
        self._console.print(text)


def _heading(run: RunRecord) -> str:
    models = f"{len(run.variants)} variants"
    if len(run.variants) == 1:
        models = f"{run.variants[0].provider} {run.variants[0].model}"
    parts = [run.agent, models, f"{run.planned:,} trial{'' if run.planned == 1 else 's'}", f"{run.concurrency} at once"]
    return " · ".join(one_line(part) for part in parts if part)
