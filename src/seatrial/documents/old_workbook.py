"""Workbooks of other programs and times: .xls, .xlsb and .ods."""

from __future__ import annotations

import io

from seatrial.documents.base import Document, ReadOptions
from seatrial.documents.cell_range import CellRange, read_range
from seatrial.documents.cell_values import shown_cell
from seatrial.documents.sheets import Sheet, choose_sheets, document_of_sheets
from seatrial.errors import DocumentError, MissingExtraError

try:
    import python_calamine
except ImportError as error:
    raise MissingExtraError("files", "reading spreadsheets") from error


class OldWorkbookReader:
    """The visible sheets, or the one that is asked for; number formats are not known here, values are."""

    def read(self, data: bytes, source: str, options: ReadOptions) -> Document:
        """One section per sheet, one record per row; raises `DocumentError` for a password or damage."""
        if not data:
            raise DocumentError(f"{source} is empty")
        wanted = read_range(options.cell_range, source) if options.cell_range else None
        try:
            with python_calamine.load_workbook(io.BytesIO(data)) as workbook:
                visible = {
                    sheet.name: sheet.visible == python_calamine.SheetVisibleEnum.Visible
                    for sheet in workbook.sheets_metadata
                    if sheet.typ == python_calamine.SheetTypeEnum.WorkSheet
                }
                names, hidden = choose_sheets(visible, options, source)
                sheets = [_sheet(workbook.get_sheet_by_name(name), wanted, options, source) for name in names]
        except python_calamine.PasswordError as error:
            raise DocumentError(f"{source} is protected by a password", hint="save it without a password") from error
        except python_calamine.CalamineError as error:
            raise DocumentError(f"{source} is damaged or no workbook: {error}", hint="save it as .xlsx") from error
        return document_of_sheets(sheets, hidden, source, options)


def _sheet(sheet: python_calamine.CalamineSheet, wanted: CellRange | None, options: ReadOptions, source: str) -> Sheet:
    if sheet.total_height * sheet.total_width > options.limits.max_cells:
        raise DocumentError(f"{source}: sheet {sheet.name!r} has more than {options.limits.max_cells:,} cells")
    rows = [[shown_cell(value) for value in row] for row in sheet.to_python(skip_empty_area=False)]
    numbered = list(enumerate(rows, start=1))
    if wanted is not None:
        inside = slice(wanted.first_column - 1, wanted.last_column)
        numbered = [(n, row[inside]) for n, row in numbered if wanted.first_row <= n <= wanted.last_row]
    return Sheet(sheet.name, numbered)
