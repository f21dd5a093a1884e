"""``A1:E100`` as rows and columns."""

from __future__ import annotations

import re
from dataclasses import dataclass

from seatrial.errors import DocumentError

_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9][0-9]{0,6})")
_LAST_ROW = 1_048_576
_LAST_COLUMN = 16_384


@dataclass(frozen=True, slots=True)
class CellRange:
    """Rows and columns from 1, both ends included."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int


def read_range(text: str, source: str) -> CellRange:
    """The range, also when it is a single cell or written from its end to its start; else `DocumentError`."""
    corners = [_corner(part, text, source) for part in text.strip().split(":")]
    if len(corners) > 2:
        raise _wrong(text, source)
    rows = sorted(row for row, _ in corners)
    columns = sorted(column for _, column in corners)
    return CellRange(rows[0], columns[0], rows[-1], columns[-1])


def cell_name(row: int, column: int) -> str:
    """``B4`` for row 4, column 2."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row}"


def _corner(part: str, text: str, source: str) -> tuple[int, int]:
    match = _CELL.fullmatch(part.strip())
    if match is None:
        raise _wrong(text, source)
    column = 0
    for letter in match[1].upper():
        column = column * 26 + ord(letter) - ord("A") + 1
    row = int(match[2])
    if row > _LAST_ROW or column > _LAST_COLUMN:
        raise _wrong(text, source)
    return row, column


def _wrong(text: str, source: str) -> DocumentError:
    return DocumentError(f"{source}: {text!r} is no range of cells", hint="write it like A1:E100")
