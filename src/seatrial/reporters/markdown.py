"""The run as Markdown, for a pull request or a wiki."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from seatrial.reporters import words
from seatrial.reporters.plain import one_line
from seatrial.reporters.report import Report
from seatrial.reporters.rows import SIGNS, Rows, overall
from seatrial.runs.records import TrialRecord

MOST_FAILURES = 20
_LONGEST_QUOTE = 300
_MARKUP = re.compile(r"([\\`*_\[\]~|$@#]|:(?=//|[\w+-]+:))")


def write_markdown(report: Report, out: BinaryIO) -> None:
    """A heading with the verdict, the table of results, and what failed and why."""
    for line in _lines(report):
        out.write(f"{line}\n".encode())


def md_text(text: str, width: int | None = None) -> str:
    """Text on one line in which nothing is markup, HTML, a mention or a link."""
    flat = one_line(text, width)
    flat = _MARKUP.sub(r"\\\1", flat)
    return flat.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _lines(report: Report) -> Iterator[str]:
    run, tally = report.run, report.tally
    yield f"## {words.mark(report)}: {md_text(run.agent)}"
    yield ""
    yield f"**{words.verdict(report)}**"
    yield ""
    for sentence in words.sentences(report):
        yield md_text(sentence)
        yield ""
    models = ", ".join(dict.fromkeys(f"{variant.provider} {variant.model}" for variant in run.variants))
    facts = [models, words.seconds(run.worked_s), f"{tally.input_tokens + tally.output_tokens:,} tokens"]
    facts += [words.total_cost(tally), words.judges(report), f"run {run.id}"]
    yield " · ".join(md_text(fact) for fact in facts if fact)
    yield ""
    yield from _table(Rows.of(report))
    yield from _failures(report)


def _table(rows: Rows) -> Iterator[str]:
    columns = rows.columns()
    if rows.shown:
        headings = [md_text(column.heading) for column in columns]
        yield f"| | {' | '.join(headings)} |"
        yield f"| --- | {' | '.join('---:' if column.is_number else '---' for column in columns)} |"
    for tries in rows.shown:
        cells = (", ".join(md_text(cell.text) for cell in column.cell(tries)) for column in columns)
        yield f"| {SIGNS[overall(tries)]} | {' | '.join(cells)} |"
    if legend := rows.legend():
        yield ""
        yield md_text(" · ".join(legend))
    if rows.left_out:
        yield ""
        yield f"{words.without_row(len(rows.shown), rows.left_out)}."


def _failures(report: Report) -> Iterator[str]:
    for trial in islice(report.failures(), MOST_FAILURES):
        yield ""
        yield f"### {SIGNS[trial.outcome]} {md_text(trial.case)}"
        yield ""
        place = report.place_of(trial)
        if place:
            yield f"- at {md_text(place)}"
        yield from (f"- {label}: {md_text(text, _LONGEST_QUOTE)}" for label, text in _told(trial))
    left = sum(1 for _ in report.failures()) - MOST_FAILURES
    if left > 0:
        yield ""
        yield f"{left:,} more did not pass."


def _told(trial: TrialRecord) -> Iterator[tuple[str, str]]:
    for reason in words.why(trial):
        yield "why", reason
    yield "asked", trial.input
    if trial.output.strip():
        yield "answered", trial.output
    if trial.ground_truth is not None:
        yield "expected", trial.ground_truth
