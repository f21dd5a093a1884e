"""``seatrial test`` against what was before: ``--baseline``, ``--fail-on`` and ``--update-baseline``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, cast

import click

from seatrial.cli import terminal
from seatrial.cli.options import open_runs
from seatrial.cli.sides import is_baseline, side_of
from seatrial.config.paths import kind_of
from seatrial.errors import ConfigError, RunError
from seatrial.reporters.comparison_text import print_comparison
from seatrial.reporters.console import console_on
from seatrial.reporters.github import is_github, tell_github_of_comparison
from seatrial.reporters.plain import Glyphs
from seatrial.runs.baseline import FILE, write_baseline
from seatrial.runs.compare import compare
from seatrial.runs.gate import FAIL_ON, FailOn, exit_code, reasons_to_fail
from seatrial.runs.records import RunRecord, Selection
from seatrial.runs.sides import Side, side_of_run
from seatrial.runs.store import RunStore
from seatrial.runs.verdict import INTERRUPTED

_INTERRUPTED_CODE = 130
_WORSE: FailOn = "worse"


@dataclass(frozen=True, slots=True)
class Against:
    """What a new run is compared with, when that fails it, and whether it becomes the baseline itself."""

    baseline: str | None = None
    fail_on: FailOn = _WORSE
    is_update: bool = False

    def refuse_part_of_suite(self, selection: Selection, *, is_part: bool) -> None:
        """Raises `ConfigError` when a baseline would be made of a part: what it lacks is never compared again."""
        if self.is_update and (is_part or selection != Selection()):
            raise ConfigError(
                "--update-baseline takes the whole suite", hint="leave -k, --case, --failed and so on out"
            )

    def file(self, folder: Path) -> Path | None:
        """Where the new baseline is written, None when none is."""
        if not self.is_update:
            return None
        is_file = self.baseline is not None and is_baseline(self.baseline)
        return Path(self.baseline or "").absolute() if is_file else folder / FILE

    def before(self, agent: Path, store: str | None) -> Side | None:
        """What to compare with, found before the agent's new run is stored. Raises `RunError` when it is not there."""
        if self.baseline is None:
            return None
        is_file = is_baseline(self.baseline)
        if is_file and self.is_update and kind_of(Path(self.baseline)) == "missing":
            return None
        with ExitStack() as stack:
            opened: RunStore | None = None
            try:
                opened = stack.enter_context(open_runs(agent.absolute().parent, store, create=False))
            except RunError:
                if not is_file:
                    raise
            return side_of(self.baseline, opened, agent.name)

    def settle(
        self, before: Side | None, run: RunRecord, store: RunStore, folder: Path, code: int, stream: TextIO
    ) -> int:
        """Compares the finished run and writes the baseline; the exit code, ``code`` being that of the run alone."""
        if run.stopped_by == INTERRUPTED:
            return _INTERRUPTED_CODE
        if before is not None:
            code = self._compared(before, side_of_run(store, run), code, stream)
        path = self.file(folder)
        if path is not None:
            count = write_baseline(side_of_run(store, run), path)
            terminal.tell(f"{path.name}: {count:,} case{'' if count == 1 else 's'} of run {run.id}")
        return code

    def _compared(self, before: Side, after: Side, code: int, stream: TextIO) -> int:
        if before.run == after.run and not before.is_baseline:
            raise RunError(f"run {after.run} would be compared with itself", hint="name another run as --baseline")
        found = compare(before, after)
        gate = exit_code(found, self.fail_on)
        code = gate if gate == 1 else code or gate
        reasons = [f"{reason} (--fail-on {self.fail_on})" for reason in reasons_to_fail(found, self.fail_on)]
        stream.write("\n")
        print_comparison(found, console_on(stream), Glyphs(stream.encoding), reasons)
        if is_github(os.environ):
            tell_github_of_comparison(found, reasons, sys.stderr, os.environ)
        return code


def against_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The three options; the command gets ``baseline``, ``fail_on`` and ``update_baseline``."""
    for option in (
        click.option("--update-baseline", is_flag=True, help=f"Keep what the run comes to in {FILE}, to be committed."),
        click.option(
            "--fail-on",
            type=click.Choice(list(FAIL_ON)),
            help="When the comparison with --baseline fails the run (default: worse).",
        ),
        click.option("--baseline", metavar="RUN", help="Compare with this run or baseline.json, case by case."),
    ):
        command = option(command)
    return command


def against(baseline: str | None, fail_on: str | None, *, update_baseline: bool) -> Against:
    """What the options ask for. Raises `ConfigError` for a gate with nothing to compare with."""
    if fail_on is not None and baseline is None:
        raise ConfigError("--fail-on compares with a baseline", hint="name it: --baseline baseline.json")
    return Against(baseline, cast("FailOn", fail_on or _WORSE), update_baseline)
