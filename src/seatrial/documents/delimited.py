"""CSV and TSV: the delimiter and the header are found, every value stays text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from seatrial.documents.base import Document, Problem, ReadOptions, Record
from seatrial.documents.encoding import decode
from seatrial.documents.tables import markdown_table, split_header, unique_names
from seatrial.errors import DocumentError

_DELIMITERS = (",", ";", "\t", "|")
# A first line with which programs tell Excel the delimiter.
_SEPARATOR_LINE = re.compile(r"sep=([^\r\n])\r?\n")
_SAMPLE_ROWS = 200
_FIELD_LIMIT = 64 * 1024 * 1024
_MAX_RAGGED_SHOWN = 20


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: tuple[str, ...]


class DelimitedReader:
    """A table from text with delimiters: comma, semicolon, tab or pipe, whichever fits the first rows best."""

    def read(self, data: bytes, source: str, options: ReadOptions) -> Document:
        """The table as Markdown, its rows and one record per row.

        Rows that are longer or shorter than the header are kept and reported; blank lines are passed over.
        """
        text, problems = decode(data, source, options.limits)
        if not text.strip():
            raise DocumentError(f"{source} is empty", hint="a CSV file needs a header line and at least one row")
        csv.field_size_limit(_FIELD_LIMIT)
        named = _SEPARATOR_LINE.match(text)
        delimiter = _wanted(options.delimiter, source) or (named[1] if named else _delimiter(text))
        rows, broken = _parse(text, delimiter, source)
        if named:
            rows = rows[1:]
        if not rows:
            raise DocumentError(f"{source} has no cell that holds anything")
        if len(rows) > options.limits.max_records:
            raise DocumentError(f"{source} has {len(rows):,} rows, the limit is {options.limits.max_records:,}")
        start, has_header = split_header([row.cells for row in rows])
        titles, table = rows[:start], rows[start:]
        header, body = _header(table, has_header)
        ragged = _ragged(body, len(header), source) if has_header else []
        body_cells = [row.cells for row in body]
        return Document(
            source=source,
            text=_render([row.cells for row in titles], header, body_cells),
            text_format="markdown",
            rows=(*(tuple(row.cells) for row in titles), *((tuple(header),) if has_header else ()), *body_cells),
            records=tuple(_records(header, body)),
            problems=(*problems, *broken, *ragged),
        )


def _wanted(delimiter: str | None, source: str) -> str | None:
    """The given delimiter as one character; ``\\t`` and ``tab`` mean a tab."""
    if not delimiter:
        return None
    character = "\t" if delimiter in ("\\t", "tab") else delimiter
    if len(character) != 1 or character in '"\r\n':
        raise DocumentError(f"{source}: {delimiter!r} is no delimiter", hint="write one character, such as ;")
    return character


def _delimiter(text: str) -> str:
    """The one that cuts the first rows into the most columns alike; a comma when none does."""
    sample = "".join(_first_lines(text))
    return max(_DELIMITERS, key=lambda delimiter: _consistency(sample, delimiter))


def _first_lines(text: str) -> Iterator[str]:
    stream = io.StringIO(text, newline="")
    for _, line in zip(range(_SAMPLE_ROWS), stream, strict=False):
        yield line


def _consistency(sample: str, delimiter: str) -> float:
    try:
        widths = [len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter) if row]
    except csv.Error:
        return 0.0
    wide = [width for width in widths if width > 1]
    if not wide:
        return 0.0
    usual = max(set(wide), key=wide.count)
    return wide.count(usual) / len(widths) + min(usual, 50) / 1000


def _parse(text: str, delimiter: str, source: str) -> tuple[list[_Row], list[Problem]]:
    rows = list(_rows(io.StringIO(text, newline=""), delimiter, first_line=1, quoting=csv.QUOTE_MINIMAL))
    open_line = _unclosed_quote(text, delimiter, rows)
    if open_line is None:
        return rows, []
    kept = [row for row in rows if row.line < open_line]
    rest = "".join(io.StringIO(text, newline="").readlines()[open_line - 1 :])
    kept += _rows(io.StringIO(rest, newline=""), delimiter, first_line=open_line, quoting=csv.QUOTE_NONE)
    said = "a quote opens here and is never closed; from this line on quotes are read as plain characters"
    return kept, [Problem(said, source, open_line)]


def _rows(lines: Iterable[str], delimiter: str, *, first_line: int, quoting: Literal[0, 3]) -> Iterator[_Row]:
    reader = csv.reader(lines, delimiter=delimiter, quoting=quoting)
    line = first_line
    for cells in reader:
        if any(cell.strip() for cell in cells):
            yield _Row(line, tuple(cells))
        line = first_line + reader.line_num


def _unclosed_quote(text: str, delimiter: str, rows: Sequence[_Row]) -> int | None:
    """The line where the last row starts, when that row runs to the end of the file inside quotes."""
    if not rows:
        return None
    tail = "".join(io.StringIO(text, newline="").readlines()[rows[-1].line - 1 :])
    try:
        for _ in csv.reader(io.StringIO(tail, newline=""), delimiter=delimiter, strict=True):
            pass
    except csv.Error as error:
        return rows[-1].line if "unexpected end of data" in str(error) else None
    return None


def _header(table: Sequence[_Row], has_header: bool) -> tuple[list[str], Sequence[_Row]]:
    if has_header:
        return unique_names(table[0].cells), table[1:]
    width = max((len(row.cells) for row in table), default=0)
    return unique_names([""] * width), table


def _ragged(body: Sequence[_Row], width: int, source: str) -> list[Problem]:
    uneven = [row for row in body if len(row.cells) != width]
    problems = [
        Problem(f"this row has {len(row.cells)} cells, the header has {width}", source, row.line)
        for row in uneven[:_MAX_RAGGED_SHOWN]
    ]
    if len(uneven) > _MAX_RAGGED_SHOWN:
        problems.append(Problem(f"{len(uneven) - _MAX_RAGGED_SHOWN} more rows do not fit the header", source))
    return problems


def _records(header: Sequence[str], body: Sequence[_Row]) -> Iterator[Record]:
    for number, row in enumerate(body, start=1):
        names = header if len(row.cells) <= len(header) else unique_names([*header, *[""] * len(row.cells)])
        fields = {name: row.cells[i] if i < len(row.cells) else "" for i, name in enumerate(names)}
        if len(row.cells) > len(header):
            fields = dict(list(fields.items())[: len(row.cells)])
        yield Record(fields, f"record {number}", row.line)


def _render(titles: Sequence[Sequence[str]], header: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    heading = [" ".join(cell.strip() for cell in row if cell.strip()) for row in titles]
    return "\n\n".join([*heading, markdown_table(header, body)])
