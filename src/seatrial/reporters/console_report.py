"""A finished run on the terminal: the table, what failed and why, the verdict, and how to see more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby, islice

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.text import Text

from seatrial.reporters import words
from seatrial.reporters.console_table import STYLES, results_table
from seatrial.reporters.plain import Glyphs, one_line, visible
from seatrial.reporters.report import ERRORED, FAILED, Report
from seatrial.reporters.rows import SIGNS, Rows
from seatrial.reporters.ways_on import Caller
from seatrial.runs.records import TrialRecord
from seatrial.runs.verdict import INTERRUPTED

MOST_FAILURES = 10
CALLER = Caller()
_NAMES_SHOWN = 5
_WIDE = 100
_VERDICT_STYLES = {
    "PASSED": "bold green",
    "FAILED": "bold red",
    "ERRORED": "bold magenta",
    "UNCHECKED": "bold yellow",
    "STOPPED": "bold yellow",
    "UNFINISHED": "bold yellow",
    "INTERRUPTED": "bold yellow",
}


def print_report(report: Report, console: Console, glyphs: Glyphs, caller: Caller = CALLER) -> None:
    """Everything that a person wants to know of a run, the verdict last; ``caller`` is how users call us."""
    rows = Rows.of(report)
    if rows.shown:
        console.print()
        show(console, results_table(rows, glyphs, console.width))
        if legend := rows.legend():
            console.print(Text(glyphs(" · ".join(legend)), "bright_black"))
    if rows.left_out:
        console.print(Text(words.without_row(len(rows.shown), rows.left_out), "bright_black"))
    _print_failures(report, console, glyphs)
    console.print()
    _print_verdict(report, console, glyphs)
    _print_ways_on(report, console, caller)


def show(console: Console, renderable: RenderableType) -> None:
    """Prints what fills the width; away from a terminal without the blanks that fill it."""
    if console.is_terminal:
        console.print(renderable)
        return
    with console.capture() as captured:
        console.print(renderable, soft_wrap=False)
    console.file.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def _print_failures(report: Report, console: Console, glyphs: Glyphs) -> None:
    by_case = groupby(report.failures(FAILED), key=lambda trial: (trial.case, trial.variant))
    for _, found in islice(by_case, MOST_FAILURES):
        _print_failure(list(found), report, console, glyphs)
    left = sum(1 for _, tries in by_case for _ in tries)
    if left:
        console.print(Text(f"\nand {left:,} more failed", "bright_black"))
    for reason, trials, count in _alike(report.failures(ERRORED)):
        _print_errors(reason, trials, count, report, console, glyphs)


def _print_failure(tries: list[TrialRecord], report: Report, console: Console, glyphs: Glyphs) -> None:
    trial = tries[0]
    heading = (f"{glyphs(SIGNS[trial.outcome])} {one_line(trial.case)}", f"bold {STYLES[trial.outcome]}")
    console.print()
    console.print(Text.assemble(heading, (_place(trial, report), "bright_black")))
    if len(tries) > 1:
        _print_fact(console, "why", f"{len(tries)} of {report.run.repeat} tries failed; the first of them:", "")
    for label, text, style in _told(trial):
        _print_fact(console, label, glyphs(text), style)
    for warning in report.warnings_of(trial):
        _print_fact(console, "why", visible(warning), "yellow")


def _print_errors(
    reason: str, first: list[TrialRecord], count: int, report: Report, console: Console, glyphs: Glyphs
) -> None:
    """Trials that went wrong in one way are told once."""
    if count == 1:
        _print_failure(first, report, console, glyphs)
        return
    names = ", ".join(dict.fromkeys(one_line(trial.case) for trial in first))
    more = f" and {count - len(first):,} more" if count > len(first) else ""
    heading = (f"{glyphs(SIGNS['errored'])} {count:,} trials errored alike", f"bold {STYLES['errored']}")
    console.print()
    console.print(Text.assemble(heading, (f"  {names}{more}", "bright_black")), soft_wrap=True)
    _print_fact(console, "why", visible(reason), "")


def _alike(trials: Iterable[TrialRecord]) -> Iterator[tuple[str, list[TrialRecord], int]]:
    """Errored trials by their reason: the first few of each kind, and how many there are."""
    first: dict[str, list[TrialRecord]] = {}
    counts: Counter[str] = Counter()
    for trial in trials:
        reason = "\n".join(words.why(trial))
        counts[reason] += 1
        if counts[reason] <= _NAMES_SHOWN and (reason in first or len(first) < MOST_FAILURES):
            first.setdefault(reason, []).append(trial)
    return ((reason, found, counts[reason]) for reason, found in first.items())


def _place(trial: TrialRecord, report: Report) -> str:
    parts = []
    if trial.variant:
        parts.append(f"variant {one_line(trial.variant)}")
    if report.run.repeat > 1:
        parts.append(f"try {trial.repeat}")
    if trial.line is not None:
        parts.append(one_line(report.place_of(trial)))
    return f"  {', '.join(parts)}" if parts else ""


def _told(trial: TrialRecord) -> Iterator[tuple[str, str, str]]:
    for reason in words.why(trial):
        yield "why", visible(reason), ""
    yield "asked", one_line(trial.input), "bright_black"
    if trial.output.strip():
        yield "answered", one_line(trial.output), "bright_black"
    if trial.ground_truth is not None:
        yield "expected", one_line(trial.ground_truth), "bright_black"


def _print_fact(console: Console, label: str, text: str, style: str) -> None:
    is_quote = label != "why"
    fact = Text(no_wrap=is_quote, overflow="ellipsis" if is_quote else "fold")
    if is_quote:
        fact.append(f"{label:<10}", "bright_black")
    fact.append(text, style)
    show(console, Padding(fact, (0, 0, 0, 2)))


def _print_verdict(report: Report, console: Console, glyphs: Glyphs) -> None:
    mark = words.mark(report)
    console.print(Text.assemble((mark, _VERDICT_STYLES[mark]), "  ", glyphs(words.verdict(report))))
    for sentence in words.sentences(report):
        console.print(Text(glyphs(sentence)))
    console.print(Text(glyphs(_facts(report)), "bright_black"))
    run = report.run
    if run.stopped_by is not None and run.stopped_by != INTERRUPTED:
        console.print(Text(words.STOPPED_BY.get(run.stopped_by, run.stopped_by)))


def _print_ways_on(report: Report, console: Console, caller: Caller) -> None:
    """The commands that go on from here; the last run is known to them without its name."""
    run = report.run
    is_last = [each.id for each in report.store.runs(1)] == [run.id]
    if run.stopped_by is not None and report.tally.not_run:
        _print_way(console, "go on", caller.go_on(run, is_last=is_last))
    example = next(report.failures(), None)
    if example is not None:
        _print_way(console, "whole conversation", caller.show(run, example.case, is_last=is_last))


def _print_way(console: Console, label: str, command: str) -> None:
    """On one line where that is not long, else the command on a line of its own: it must be easy to copy."""
    between = " " if len(label) + len(command) + 2 <= _WIDE else "\n  "
    console.print(Text(f"{label}:{between}{command}", "bright_black"), soft_wrap=True)


def _facts(report: Report) -> str:
    tally, run = report.tally, report.run
    parts = [] if run.ended_at is None else [words.seconds(run.worked_s)]
    parts.append(f"{tally.input_tokens + tally.output_tokens:,} tokens")
    parts += [words.total_cost(tally), words.judges(report), f"run {run.id}"]
    return " · ".join(part for part in parts if part)
