"""Excel workbooks (.xlsx, .xlsm) as Markdown tables, and old or foreign ones (.xls, .xlsb, .ods) through calamine."""

from __future__ import annotations

import io
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

from seatrial.documents.archives import check_office_file
from seatrial.documents.base import Document, Limits, Problem, ReadOptions
from seatrial.documents.cell_range import CellRange, cell_name, read_range
from seatrial.documents.cell_values import shown_cell
from seatrial.documents.sheets import Sheet, choose_sheets, document_of_sheets
from seatrial.errors import DocumentError, MissingExtraError

try:
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException
    from openpyxl.worksheet.worksheet import Worksheet
except ImportError as error:
    raise MissingExtraError("files", "reading Excel files") from error

_MOST_NAMED_FORMULAS = 5


class ExcelReader:
    """The visible sheets of a workbook, or the one that is asked for, or a range of cells of it."""

    def read(self, data: bytes, source: str, options: ReadOptions) -> Document:
        """One section per sheet, one record per row.

        Raises `DocumentError` for a sheet that is not there, a password, damage, or a range without any value.
        """
        check_office_file(data, source, options.limits, needs="xl/workbook.xml", kind="Excel workbook (.xlsx)")
        wanted = read_range(options.cell_range, source) if options.cell_range else None
        workbook = _open(data, source, data_only=True)
        try:
            titles = {sheet.title: sheet.sheet_state == "visible" for sheet in workbook.worksheets}
            names, hidden = choose_sheets(titles, options, source)
            chosen = [workbook[name] for name in names]
            formulas = _formulas(data, source, chosen, wanted)
            sheets = [_sheet(worksheet, wanted, source, options.limits) for worksheet in chosen]
        finally:
            workbook.close()
        problems = [*hidden, *(_without_value(name, cells, source) for name, cells in formulas.items() if cells)]
        return document_of_sheets(sheets, problems, source, options)


def _open(data: bytes, source: str, *, data_only: bool) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return openpyxl.load_workbook(io.BytesIO(data), data_only=data_only)
    except (
        InvalidFileException,
        zipfile.BadZipFile,
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        OSError,
    ) as error:
        raise DocumentError(f"{source} is damaged and cannot be read: {error}", hint="open and save it anew") from error
    except SyntaxError as error:
        raise DocumentError(f"{source} holds broken XML: {error}", hint="open and save it anew") from error


def _sheet(worksheet: Worksheet, wanted: CellRange | None, source: str, limits: Limits) -> Sheet:
    shown = {
        place: text
        for place, (value, number_format) in _values(worksheet).items()
        if _is_inside(*place, wanted) and (text := shown_cell(value, number_format))
    }
    columns = {column for _, column in shown}
    first, last = (
        (wanted.first_column, wanted.last_column) if wanted else (min(columns, default=1), max(columns, default=0))
    )
    rows = sorted({row for row, _ in shown})
    if len(rows) * (last - first + 1) > limits.max_cells:
        raise DocumentError(
            f"{source}: sheet {worksheet.title!r} has more than {limits.max_cells:,} cells",
            hint="name the range that matters",
        )
    return Sheet(worksheet.title, [(row, [shown.get((row, c), "") for c in range(first, last + 1)]) for row in rows])


def _values(worksheet: Worksheet) -> dict[tuple[int, int], tuple[Any, str]]:
    """The cells that hold something, by row and column; a cell merged over rows speaks for each of them.

    Over columns it stays where it is. Cells that are not there are not made, so that one stray cell far down costs
    nothing.
    """
    values = {
        place: (cell.value, cell.number_format) for place, cell in worksheet._cells.items() if cell.value is not None
    }
    for merged in worksheet.merged_cells.ranges:
        first = values.get((merged.min_row, merged.min_col))
        if first is not None:
            last = min(merged.max_row, worksheet.max_row)
            values |= {(row, merged.min_col): first for row in range(merged.min_row + 1, last + 1)}
    return values


def _formulas(
    data: bytes, source: str, chosen: Sequence[Worksheet], wanted: CellRange | None
) -> dict[str, list[tuple[str, str]]]:
    """By sheet, the cells that hold a formula and no value: a program wrote the file and never computed it."""
    if not _has_formulas(data):
        return {}
    found: dict[str, list[tuple[str, str]]] = {}
    workbook = _open(data, source, data_only=False)
    try:
        for worksheet in chosen:
            values = _values(worksheet)
            found[worksheet.title] = [
                (cell_name(row, column), formula)
                for row, column, formula in _formulas_of(workbook[worksheet.title])
                if (row, column) not in values and _is_inside(row, column, wanted)
            ]
    finally:
        workbook.close()
    return found


def _has_formulas(data: bytes) -> bool:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/") and name.endswith(".xml"):
                sheet = archive.read(name)
                if b"<f>" in sheet or b"<f " in sheet:
                    return True
    return False


def _formulas_of(worksheet: Worksheet) -> Iterator[tuple[int, int, str]]:
    for (row, column), cell in sorted(worksheet._cells.items()):
        if cell.data_type == "f":
            yield row, column, str(getattr(cell.value, "text", cell.value))


def _is_inside(row: int, column: int, wanted: CellRange | None) -> bool:
    return wanted is None or (
        wanted.first_row <= row <= wanted.last_row and wanted.first_column <= column <= wanted.last_column
    )


def _without_value(sheet: str, cells: Sequence[tuple[str, str]], source: str) -> Problem:
    named = ", ".join(f"{cell} {formula}" for cell, formula in cells[:_MOST_NAMED_FORMULAS])
    more = f" and {len(cells) - _MOST_NAMED_FORMULAS} more" if len(cells) > _MOST_NAMED_FORMULAS else ""
    return Problem(
        f"formulas without a stored value in sheet {sheet!r} are blank: {named}{more}; "
        "open and save the file in a spreadsheet program to compute them",
        source,
    )
