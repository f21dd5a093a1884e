from __future__ import annotations

import io
import zipfile
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.office_files import xlsx, xlsx_of

from seatrial.documents.base import Limits, ReadOptions
from seatrial.documents.cell_range import CellRange, cell_name, read_range
from seatrial.documents.cell_values import shown_cell
from seatrial.documents.excel import ExcelReader
from seatrial.errors import DocumentError


def cells(read, rows: list[list[Any]], **options: Any) -> tuple[tuple[str, ...], ...]:
    return read("a.xlsx", xlsx_of(rows), **options).rows


def test_p013_values_stay_what_they_are(read) -> None:
    rows = [
        ["id", "flag", "count", "day", "moment", "share", "text"],
        [7, True, 48.0, date(2026, 4, 11), datetime(2026, 4, 20, 16, 45), 0.1 + 0.2, "007"],
        [8, False, None, time(9, 30), timedelta(hours=30, minutes=5), 1e-7, " x "],
    ]
    assert cells(read, rows) == (
        tuple(rows[0]),
        ("7", "TRUE", "48", "2026-04-11", "2026-04-20 16:45", "0.3", "007"),
        ("8", "FALSE", "", "09:30", "30:05", "1e-07", " x "),
    )


def test_p013_number_formats_that_change_the_meaning_are_followed(read) -> None:
    def fill(workbook) -> None:
        sheet = workbook.active
        sheet.append(["zip", "rate", "price", "neg"])
        sheet.append([1067, 0.184, 12.5, -0.05])
        for cell, number_format in zip(sheet[2], ["00000", "0.0%", '"€" #,##0.00', "0%"], strict=True):
            cell.number_format = number_format

    assert read("a.xlsx", xlsx(fill)).rows[1] == ("01067", "18.4%", "12.5", "-5%")


def test_every_row_is_a_record_with_its_sheet_and_row(read) -> None:
    document = read("a.xlsx", xlsx_of([["sku", "name"], ["A1", "Cup"], [None, None], ["A2", "Pot"]], "Prices"))
    assert [(dict(record.fields), record.place) for record in document.records] == [
        ({"sku": "A1", "name": "Cup"}, "sheet Prices row 2"),
        ({"sku": "A2", "name": "Pot"}, "sheet Prices row 4"),
    ]


def two_sheets(workbook) -> None:
    workbook.active.title = "Q1 Sales"
    for row in (["OUTSIDE"], [None, "Item", "Qty"], [None, "Pen", 3], [None, "Book", 2]):
        workbook.active.append(row)
    other = workbook.create_sheet("Costs")
    other.append(["Rent", 100])
    workbook.create_sheet("Secret").append(["HIDDEN"])
    workbook["Secret"].sheet_state = "hidden"


def test_visible_sheets_are_read_each_under_its_name_and_hidden_ones_told(read) -> None:
    document = read("a.xlsx", xlsx(two_sheets))
    assert [section.place for section in document.sections] == ["sheet Q1 Sales", "sheet Costs"]
    assert document.text[document.sections[1].start :].startswith("## Costs\n\n")
    assert "HIDDEN" not in document.text
    assert "'Secret' was left out" in str(document.problems[0])


def test_h014_sheet_and_range_give_exactly_those_cells(read) -> None:
    for written in ("B2:C3", "C3:B2", "$b$2:$C$3"):
        document = read("a.xlsx", xlsx(two_sheets), sheet="Q1 Sales", cell_range=written)
        assert document.rows == (("Item", "Qty"), ("Pen", "3"))
    assert read("a.xlsx", xlsx(two_sheets), sheet="q1 sales ", cell_range="B3").rows == (("Pen",),)
    assert read("a.xlsx", xlsx(two_sheets), sheet="Secret").rows == (("HIDDEN",),)


def test_h014_a_sheet_that_is_not_there_is_an_error_that_lists_the_sheets(read) -> None:
    with pytest.raises(DocumentError, match="no sheet 'Cost'; the sheets are: Q1 Sales, Costs, Secret") as caught:
        read("a.xlsx", xlsx(two_sheets), sheet="Cost")
    assert caught.value.hint == "did you mean 'Costs'?"


@pytest.mark.parametrize("written", ["", "A", "1", "A0", "A1:B2:C3", "A1-B2", "ZZZZ1", "A9999999", "XFE1", "ä1"])
def test_h014_a_range_that_is_none_is_an_error_with_an_example(written: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_range(written or " ", "a.xlsx")
    assert "A1:E100" in (caught.value.hint or "")


def test_h014_a_range_without_any_value_is_an_error(read) -> None:
    with pytest.raises(DocumentError, match="range X5:Z9 holds no value"):
        read("a.xlsx", xlsx(two_sheets), cell_range="X5:Z9")


def test_p013_formulas_give_their_stored_value_and_a_missing_one_is_told(read) -> None:
    def fill(workbook) -> None:
        workbook.active.append(["a", "b"])
        workbook.active.append([1, "=A2*2"])

    document = read("a.xlsx", xlsx(fill))
    assert document.rows[1] == ("1", "")
    assert "B2 =A2*2" in str(document.problems[0])
    stored = _with_stored_value(xlsx(fill), b"<f>A2*2</f><v></v>", b"<f>A2*2</f><v>2</v>")
    assert read("a.xlsx", stored).rows[1] == ("1", "2")
    assert read("a.xlsx", stored).problems == ()


def _with_stored_value(data: bytes, old: bytes, new: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w") as after:
        for name in before.namelist():
            content = before.read(name)
            after.writestr(name, content.replace(old, new).replace(old.replace(b"<v></v>", b"<v />"), new))
    return out.getvalue()


def test_p013_a_cell_merged_over_rows_speaks_for_each(read) -> None:
    def fill(workbook) -> None:
        sheet = workbook.active
        for row in (["region", "shop", "sum"], ["North", "a", 1], [None, "b", 2], ["South", "c", 3]):
            sheet.append(row)
        sheet.merge_cells("A2:A3")

    assert [row[0] for row in read("a.xlsx", xlsx(fill)).rows] == ["region", "North", "North", "South"]


def test_p013_a_merged_title_stands_above_the_table(read) -> None:
    def fill(workbook) -> None:
        sheet = workbook.active
        for row in (["Prices 2026"], [None], ["sku", "price"], ["A1", 2.5]):
            sheet.append(row)
        sheet.merge_cells("A1:B1")

    document = read("a.xlsx", xlsx(fill))
    assert document.text == "Prices 2026\n\n| sku | price |\n| --- | --- |\n| A1 | 2.5 |"
    assert [dict(record.fields) for record in document.records] == [{"sku": "A1", "price": "2.5"}]


def test_one_stray_cell_far_away_costs_nothing(read) -> None:
    def fill(workbook) -> None:
        workbook.active.append(["a", "b"])
        workbook.active.append([1, 2])
        workbook.active["B1000000"] = "stray"

    assert read("a.xlsx", xlsx(fill)).rows == (("a", "b"), ("1", "2"), ("", "stray"))


def test_too_many_cells_are_refused(read) -> None:
    with pytest.raises(DocumentError, match="more than 5 cells"):
        read("a.xlsx", xlsx_of([[1, 2, 3], [4, 5, 6]]), limits=Limits(max_cells=5))


def test_an_empty_workbook_is_an_error(read) -> None:
    with pytest.raises(DocumentError, match=r"a\.xlsx: sheet 'Sheet' holds no value"):
        read("a.xlsx", xlsx_of([]))


def test_p013_a_password_damage_and_other_types_are_told_apart(read) -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
    for data, said in (
        (ole + "EncryptedPackage".encode("utf-16-le"), "protected by a password"),
        (ole, "old binary format"),
        (b"", "is empty"),
        (b"plain text", "is no Excel workbook"),
        (xlsx_of([[1]])[:200], "is no Excel workbook"),
        (_zip({"word/document.xml": b"<w/>"}), "but no Excel workbook"),
        (_zip({"xl/workbook.xml": b"<broken"}), "damaged"),
    ):
        with pytest.raises(DocumentError, match=said):
            read("a.xlsx", data)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(read) -> None:
    bomb = _zip({"xl/workbook.xml": b"\0" * 40_000_000})
    with pytest.raises(DocumentError, match="times its size"):
        read("a.xlsx", bomb)
    with pytest.raises(DocumentError, match="unpacks to"):
        read("a.xlsx", bomb, limits=Limits(max_unpacked_bytes=1_000_000))


def _zip(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


@given(st.integers(1, 1_048_576), st.integers(1, 16_384))
def test_a_cell_has_one_name_and_the_name_leads_back(row: int, column: int) -> None:
    assert read_range(cell_name(row, column), "a") == CellRange(row, column, row, column)


@given(st.floats(-1e14, 1e14, allow_nan=False))
def test_a_shown_number_is_the_number_to_15_digits(value: float) -> None:
    assert float(shown_cell(value)) == pytest.approx(value, rel=1e-14, abs=1e-300)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_document_error(data: bytes) -> None:
    with pytest.raises(DocumentError):
        ExcelReader().read(data, "a.xlsx", ReadOptions())
