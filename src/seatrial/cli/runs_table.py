"""Stored runs in a table that fits its terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.table import Table

from seatrial.reporters import words
from seatrial.reporters.plain import Glyphs, one_line
from seatrial.reporters.report import Report
from seatrial.runs.provenance import is_under_way
from seatrial.runs.records import Tally

_GAP = 2
_WIDEST = 40
_NUMBERS = ("passed", "time", "cost")
_FIRST_TO_GO = ("model", "cost", "started", "time", "agent")  # a narrow terminal has no room for these, in this order


def runs_table(reports: Sequence[Report], glyphs: Glyphs, width: int) -> Table:
    """A row for each run; columns that do not fit are left out whole, the least needed first."""
    rows = [_row(report, glyphs) for report in reports]
    names = list(rows[0])
    for name in _FIRST_TO_GO:
        if _needed_width(names, rows) > width:
            names.remove(name)
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bright_black")
    for name in names:
        table.add_column(
            name, justify="right" if name in _NUMBERS else "left", no_wrap=True, max_width=_WIDEST, overflow="ellipsis"
        )
    for row in rows:
        table.add_row(*(row[name] for name in names))
    return table


def _row(report: Report, glyphs: Glyphs) -> dict[str, str]:
    run, tally = report.run, report.tally
    return {
        "run": run.id,
        "started": f"{run.started_at.astimezone():%Y-%m-%d %H:%M}",
        "agent": one_line(run.agent),
        "model": one_line(", ".join(dict.fromkeys(variant.model for variant in run.variants))),
        "verdict": _verdict(report),
        "passed": glyphs(f"{tally.passed:,}/{tally.checked:,}") if tally.checked else "-",
        "time": words.seconds(run.worked_s) if run.ended_at is not None else "-",
        "cost": _cost(tally),
    }


def _needed_width(names: Sequence[str], rows: Sequence[dict[str, str]]) -> int:
    widest = (min(max(cell_len(text) for text in (name, *(row[name] for row in rows))), _WIDEST) for name in names)
    return sum(widest) + _GAP * (len(names) - 1)


def _verdict(report: Report) -> str:
    if report.run.status != "running":
        return words.mark(report).lower()
    return "under way" if is_under_way(report.run) else "broken off"


def _cost(tally: Tally) -> str:
    return "unknown" if tally.unknown_costs and not tally.cost_usd else words.dollars(tally.cost_usd)
