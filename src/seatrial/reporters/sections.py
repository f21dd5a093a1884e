"""Parts of a report in plain words, for reports that are tables and sentences; and how they stand on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rich.cells import cell_len

from seatrial.reporters.plain import one_line, visible

_GAP = "  "
_WIDEST = 60


@dataclass(frozen=True, slots=True)
class Section:
    """A title, perhaps a table, and sentences; ``numbers`` are the columns that are set to the right."""

    title: str
    lines: Sequence[str] = ()
    headings: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    numbers: frozenset[int] = field(default_factory=frozenset)


class Line(NamedTuple):
    """One line and its style."""

    text: str
    style: str = ""


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
