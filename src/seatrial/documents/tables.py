"""Tables as Markdown, each value as it stands."""

from __future__ import annotations

from collections.abc import Sequence


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; line breaks in a cell become ``<br>`` and pipes are escaped, nothing else changes."""
    width = max(len(header), *(len(row) for row in rows)) if rows else len(header)
    lines = [_line(header, width), "|" + " --- |" * width]
    lines += [_line(row, width) for row in rows]
    return "\n".join(lines)


def unique_names(header: Sequence[str]) -> list[str]:
    """Column names that can serve as keys: blanks become ``column 3``, a repeated name gets its number."""
    names: list[str] = []
    taken: set[str] = set()
    for position, cell in enumerate(header, start=1):
        wanted = cell.strip() or f"column {position}"
        name, count = wanted, 1
        while name in taken:
            count += 1
            name = f"{wanted} ({count})"
        taken.add(name)
        names.append(name)
    return names


def split_header(rows: Sequence[Sequence[str]]) -> tuple[int, bool]:
    """Where the table begins below title and blank rows, and whether its first row is a header.

    A title row fills one cell above a header of several, in which no cell is a number. A first row that is all numbers
    is data.
    """
    first = next((place for place, row in enumerate(rows) if _filled(row)), len(rows))
    if first == len(rows):
        return first, False
    start = first
    width = max(_filled(row) for row in rows)
    while start + 1 < len(rows) and _filled(rows[start]) <= min(1, width - 1):
        start += 1
    if start > first and any(_is_number(cell) for cell in _texts(rows[start])):
        start = first
    return start, not all(_is_number(cell) for cell in _texts(rows[start]))


def _line(cells: Sequence[str], width: int) -> str:
    padded = [*cells, *[""] * (width - len(cells))]
    return "| " + " | ".join(_cell(cell) for cell in padded) + " |"


def _cell(value: str) -> str:
    return value.replace("|", "\\|").replace("\r\n", "<br>").replace("\n", "<br>").replace("\r", "<br>")


def _texts(row: Sequence[str]) -> list[str]:
    return [cell.strip() for cell in row if cell.strip()]


def _filled(row: Sequence[str]) -> int:
    return len(_texts(row))


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True
