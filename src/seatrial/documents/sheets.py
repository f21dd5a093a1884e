"""Sheets of any workbook as one document: tables in Markdown, a section per sheet, a record per row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from seatrial.documents.base import Document, Problem, ReadOptions, Record, Section
from seatrial.documents.tables import markdown_table, split_header, unique_names
from seatrial.errors import DocumentError

NumberedRow = tuple[int, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Sheet:
    """The shown cells of a sheet or of a range of it: rows with their numbers in the sheet, all of one width."""

    name: str
    rows: Sequence[NumberedRow]


def document_of_sheets(
    sheets: Sequence[Sheet], problems: Sequence[Problem], source: str, options: ReadOptions
) -> Document:
    """The document; raises `DocumentError` when no cell holds anything."""
    filled = [(sheet, _trimmed(sheet, options.cell_range is not None)) for sheet in sheets]
    empty = [Problem(f"the sheet {sheet.name!r} is empty", source) for sheet, rows in filled if not rows]
    filled = [(sheet, rows) for sheet, rows in filled if rows]
    if not filled:
        where = f"range {options.cell_range}" if options.cell_range else f"sheet {sheets[0].name!r}"
        raise DocumentError(f"{source}: {where} holds no value")
    text, sections = _joined([(sheet.name, _render(sheet, rows, len(filled) > 1)) for sheet, rows in filled])
    if len(text) > options.limits.max_text_chars:
        raise DocumentError(f"{source} holds {len(text):,} characters, the limit is {options.limits.max_text_chars:,}")
    return Document(
        source=source,
        text=text,
        text_format="markdown",
        sections=tuple(sections),
        rows=tuple(tuple(cells) for _, rows in filled for _, cells in rows) if len(filled) == 1 else None,
        records=tuple(record for sheet, rows in filled for record in _records(sheet, rows)),
        problems=(*problems, *empty),
    )


def choose_sheets(visible: Mapping[str, bool], options: ReadOptions, source: str) -> tuple[list[str], list[Problem]]:
    """Which of the sheets, given with whether they are visible, to read: the named one, else all that are visible.

    A range without a sheet means the first visible one. Raises `DocumentError` when the sheet is not there.
    """
    if options.sheet is not None:
        return [_named(list(visible), options.sheet, source)], []
    shown = [title for title, is_visible in visible.items() if is_visible] or list(visible)
    if not shown:
        raise DocumentError(f"{source} has no sheet with cells")
    if options.cell_range is not None:
        return shown[:1], []
    hidden = [title for title in visible if title not in shown]
    said = [Problem(f"the hidden sheet {title!r} was left out; name it to read it", source) for title in hidden]
    return shown, said


def _named(titles: Sequence[str], name: str, source: str) -> str:
    if name in titles:
        return name
    alike = [title for title in titles if title.strip().lower() == name.strip().lower()]
    if alike:
        return alike[0]
    near = get_close_matches(name, titles, n=1)
    raise DocumentError(
        f"{source} has no sheet {name!r}; the sheets are: {', '.join(titles)}",
        hint=f"did you mean {near[0]!r}?" if near else None,
    )


def _trimmed(sheet: Sheet, is_range: bool) -> list[NumberedRow]:
    """The rows that hold something, without blank columns at both sides; a range keeps its columns."""
    rows = [(number, row) for number, row in sheet.rows if any(cell.strip() for cell in row)]
    if is_range or not rows:
        return rows
    used = [column for column in range(len(rows[0][1])) if any(row[column].strip() for _, row in rows)]
    return [(number, row[used[0] : used[-1] + 1]) for number, row in rows]


def _render(sheet: Sheet, rows: Sequence[NumberedRow], is_named: bool) -> str:
    cells = [row for _, row in rows]
    start, has_header = split_header(cells)
    titles = [" ".join(cell for cell in row if cell.strip()) for row in cells[:start]]
    table = cells[start:]
    header = table[0] if has_header else [""] * max(len(row) for row in table)
    heading = [f"## {sheet.name}"] if is_named else []
    return "\n\n".join([*heading, *titles, markdown_table(header, table[1:] if has_header else table)])


def _joined(parts: Sequence[tuple[str, str]]) -> tuple[str, list[Section]]:
    text = ""
    sections = []
    for name, part in parts:
        text += "\n\n" if text else ""
        sections.append(Section(f"sheet {name}", len(text), len(text) + len(part), {"sheet": name}))
        text += part
    return text, sections


def _records(sheet: Sheet, rows: Sequence[NumberedRow]) -> Iterator[Record]:
    start, has_header = split_header([row for _, row in rows])
    table = rows[start:]
    width = max((len(row) for _, row in table), default=0)
    names = unique_names(table[0][1] if has_header else [""] * width)
    for number, row in table[1:] if has_header else table:
        yield Record(dict(zip(names, row, strict=True)), f"sheet {sheet.name} row {number}")
