"""A comparison on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from seatrial.reporters.comparison import MARKS, Section, headline, sections, side_line
from seatrial.reporters.plain import Glyphs, one_line, visible
from seatrial.runs.compare import Comparison

_STYLES = {"better": "bold green", "worse": "bold red", "no evidence": "bold yellow"}
_GAP = "  "
_WIDEST = 60


class Line(NamedTuple):
    """One line and its style."""

    text: str
    style: str = ""


def print_comparison(found: Comparison, console: Console, glyphs: Glyphs, gate: Sequence[str] = ()) -> None:
    """Both sides, the sections, the verdict last, where the eye is; ``gate`` are the reasons of a shut gate."""
    for label, side in (("before", found.before), ("after ", found.after)):
        _print(console, glyphs(f"{label}  {one_line(side_line(side))}"), "bright_black")
    opening, *rest = sections(found)
    for section in rest:
        console.print()
        for line in section_lines(section):
            _print(console, glyphs(line.text), line.style)
    console.print()
    mark = Text.assemble((MARKS[found.verdict], _STYLES[found.verdict]), "  ", glyphs(one_line(headline(found))))
    console.print(mark, soft_wrap=True)
    for text in opening.lines:
        _print(console, glyphs(one_line(text)))
    for reason in gate:
        _print(console, glyphs(f"gate: {one_line(reason)}"), "red")


def section_lines(section: Section) -> Iterator[Line]:
    """A section as lines: the title, the table with its columns under each other, the sentences."""
    if section.title:
        yield Line(one_line(section.title), "bold")
    if section.rows:
        table = [list(section.headings), *(list(row) for row in section.rows)]
        cells = [[one_line(cell, _WIDEST) for cell in row] for row in table]
        widths = [max(cell_len(row[place]) for row in cells) for place in range(len(cells[0]))]
        for number, row in enumerate(cells):
            padded = [_padded(cell, widths[place], place in section.numbers) for place, cell in enumerate(row)]
            yield Line(f"  {_GAP.join(padded)}".rstrip(), "" if number else "bright_black")
    yield from (Line(f"  {visible(text)}") for text in section.lines)


def _padded(text: str, width: int, is_number: bool) -> str:
    blanks = " " * (width - cell_len(text))
    return blanks + text if is_number else text + blanks


def _print(console: Console, text: str, style: str = "") -> None:
    console.print(Text(text, style), soft_wrap=True)
