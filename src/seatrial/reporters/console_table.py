"""The table of a run's results for a terminal of any width."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from seatrial.reporters.plain import Glyphs
from seatrial.reporters.rows import SIGNS, Column, Rows, Tries, overall
from seatrial.reporters.tool_cells import Cell

STYLES = {
    "passed": "green",
    "failed": "red",
    "errored": "magenta",
    "unchecked": "yellow",
    "not_run": "bright_black",
    "dim": "bright_black",
    "": "",
}
_GAP = 2
_WIDEST = 40
_NARROWEST = {"case": 16, "tools": 16, "variant": 10}


def results_table(rows: Rows, glyphs: Glyphs, width: int) -> RenderableType:
    """The results in the order of the file: a table, or two lines per case where a table does not fit."""
    columns = rows.columns()
    widths = _fitted(columns, rows, width)
    if widths is None:
        return Group(*(_two_lines(columns, tries, glyphs, width) for tries in rows.shown))
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), header_style="bright_black")
    table.add_column("", width=1)
    for column, column_width in zip(columns, widths, strict=True):
        table.add_column(
            Text(glyphs(column.heading)), justify="right" if column.is_number else "left", width=column_width
        )
    for tries in rows.shown:
        table.add_row(_sign(tries, glyphs), *(_joined(column.cell(tries), glyphs, "\n") for column in columns))
    return table


def _fitted(columns: Sequence[Column], rows: Rows, width: int) -> list[int] | None:
    """A width for each column, texts narrowed as needed; None when even that is too wide."""
    widths = [min(_natural_width(column, rows), _WIDEST) for column in columns]
    excess = 1 + _GAP + sum(widths) + _GAP * len(widths) - _GAP - width
    for number, column in enumerate(columns):
        least = min(_NARROWEST.get(column.heading, _WIDEST), widths[number])
        given = max(min(widths[number] - least, excess), 0)
        widths[number] -= given
        excess -= given
    return widths if excess <= 0 else None


def _natural_width(column: Column, rows: Rows) -> int:
    texts = column.heading.split("\n")
    texts += [cell.text for tries in rows.shown for cell in column.cell(tries)]
    return max(map(cell_len, texts))


def _two_lines(columns: Sequence[Column], tries: Tries, glyphs: Glyphs, width: int) -> RenderableType:
    """The case with what is short on the first line, metrics and tools on the second."""
    case, *others = columns
    facts = {column.heading: column.cell(tries) for column in others}
    short = [facts.pop(name) for name in ("variant", "outcome", "time", "cost") if name in facts]
    facts.pop("tokens", None)
    right = Text("  ").join(_joined(cells, glyphs, " ") for cells in short if cells)
    left = Text.assemble(_sign(tries, glyphs), " ", _joined(case.cell(tries), glyphs, " "))
    left.truncate(max(width - right.cell_len - _GAP, _NARROWEST["case"]), overflow="ellipsis", pad=True)
    first = Text.assemble(left, "  ", right)
    second = Text("   ").join(
        _named(heading, cells, glyphs) for heading, cells in facts.items() if any(cell.text != "–" for cell in cells)
    )
    return Group(first, Padding(second, (0, 0, 0, 4))) if second.plain else first


def _named(heading: str, cells: Sequence[Cell], glyphs: Glyphs) -> Text:
    """A metric with its name and threshold; tools speak for themselves."""
    text = _joined(cells, glyphs, "  ")
    if heading == "tools":
        return text
    name, _, threshold = heading.partition("\n")
    return Text.assemble(
        (f"{name} ", "bright_black"), text, (glyphs(f" ({threshold})") if threshold else "", "bright_black")
    )


def _sign(tries: Tries, glyphs: Glyphs) -> Text:
    outcome = overall(tries)
    return Text(glyphs(SIGNS[outcome]), STYLES[outcome])


def _joined(cells: Sequence[Cell], glyphs: Glyphs, separator: str) -> Text:
    return Text(separator).join(Text(glyphs(cell.text), STYLES.get(cell.tone, "")) for cell in cells)
