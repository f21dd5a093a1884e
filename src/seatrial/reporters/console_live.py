"""The moving part of the console: progress, rate, cost so far, failures as they come."""

from __future__ import annotations

import time
from collections import deque

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from seatrial.reporters.console_table import STYLES
from seatrial.reporters.plain import Glyphs, one_line
from seatrial.reporters.rows import SIGNS
from seatrial.reporters.words import dollars
from seatrial.runs.records import OUTCOMES, Outcome, Tally, TrialKey, TrialRecord

_FAILURES_SHOWN = 5
_NAMES_SHOWN = 3
_REFRESHES_PER_S = 6


class LiveArea:
    """A few lines at the bottom of the terminal that are redrawn while the suite runs, and then gone."""

    def __init__(self, console: Console, glyphs: Glyphs) -> None:
        self._console = console
        self._glyphs = glyphs
        self._planned = 0
        self._kept = 0
        self._counts: dict[Outcome, int] = dict.fromkeys(OUTCOMES, 0)
        self._cost_usd: float | None = None
        self._failures: deque[tuple[Outcome, str, str]] = deque(maxlen=_FAILURES_SHOWN)
        self._running: dict[TrialKey, None] = {}
        self._note = ""
        self._started = time.monotonic()
        self._live = Live(
            console=console,
            get_renderable=self._render,
            refresh_per_second=_REFRESHES_PER_S,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def open(self) -> None:
        """Starts drawing."""
        self._live.start()

    def close(self) -> None:
        """Stops drawing and leaves nothing behind."""
        self._live.stop()

    def note(self, text: str) -> None:
        """What is going on besides the trials."""
        self._note = text

    def begin(self, planned: int, kept: Tally) -> None:
        """The plan stands; ``kept`` was done before."""
        self._planned = planned
        self._kept = kept.total - kept.not_run
        for outcome in OUTCOMES:
            self._counts[outcome] = 0 if outcome == "not_run" else getattr(kept, outcome)
        self._note = ""
        self._started = time.monotonic()

    def trial_started(self, key: TrialKey) -> None:
        """A trial is under way."""
        self._running[key] = None

    def trial_finished(self, trial: TrialRecord, reason: str) -> None:
        """A trial is over."""
        self._running.pop(trial.key, None)
        self._counts[trial.outcome] += 1
        cost_usd = trial.total.cost_usd
        if cost_usd is not None:
            self._cost_usd = (self._cost_usd or 0.0) + cost_usd
        if trial.outcome in ("failed", "errored"):
            self._failures.append((trial.outcome, trial.case, reason))

    def _render(self) -> RenderableType:
        lines: list[RenderableType] = [self._failure(*failure) for failure in list(self._failures)]
        running = list(self._running)
        if self._note or running:
            lines.append(Text(self._note or self._now(running), "bright_black", no_wrap=True, overflow="ellipsis"))
        if self._planned:
            lines.append(self._progress())
        return Group(*lines)

    def _failure(self, outcome: Outcome, case: str, reason: str) -> Text:
        text = Text(no_wrap=True, overflow="ellipsis")
        text.append(f"{self._glyphs(SIGNS[outcome])} {one_line(case)}", STYLES[outcome])
        return text.append(f"  {one_line(reason)}", "bright_black")

    def _now(self, running: list[TrialKey]) -> str:
        names = ", ".join(one_line(key.case) for key in running[:_NAMES_SHOWN])
        more = len(running) - _NAMES_SHOWN
        return f"running {names}" + (f" and {more} more" if more > 0 else "")

    def _progress(self) -> Table:
        done = sum(self._counts.values())
        grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
        grid.width = max(self._console.width - len("^C ") - 1, 20)  # room for the echo of Ctrl-C, which must not wrap
        grid.add_column(ratio=1, min_width=8)
        grid.add_column(no_wrap=True)
        grid.add_column(no_wrap=True)
        bar = ProgressBar(total=self._planned, completed=done, complete_style="cyan", finished_style="cyan")
        grid.add_row(bar, Text(f"{done:,}/{self._planned:,}", "bold"), self._numbers(done))
        return grid

    def _numbers(self, done: int) -> Text:
        text = Text()
        for outcome, count in self._counts.items():
            if count and outcome != "not_run":
                text.append(f"{count:,} {outcome}  ", STYLES[outcome])
        passed_s = time.monotonic() - self._started
        facts = []
        if passed_s > 0.5 and done > self._kept:
            facts.append(f"{(done - self._kept) / passed_s:.1f}/s")
        if self._cost_usd is not None:
            facts.append(dollars(self._cost_usd))
        facts.append(f"{int(passed_s) // 60}:{int(passed_s) % 60:02d}")
        return text.append("  ".join(facts), "bright_black")
