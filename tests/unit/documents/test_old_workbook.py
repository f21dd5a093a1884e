from __future__ import annotations

import pytest
from tests.support.office_files import xlsx_of

from seatrial.errors import DocumentError


def test_other_spreadsheets_are_read_by_their_content(read) -> None:
    data = xlsx_of([["id", "flag", "share"], [7, True, 0.5], [8, None, 1.0]], "Data")
    document = read("a.xlsb", data)
    assert document.rows == (("id", "flag", "share"), ("7", "TRUE", "0.5"), ("8", "", "1"))
    assert document.records[0].place == "sheet Data row 2"
    assert read("a.ods", data, sheet="Data", cell_range="A2:B2").rows == (("7", "TRUE"),)


def test_damage_and_a_wrong_sheet_are_errors(read) -> None:
    for data in (b"", b"plain", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600):
        with pytest.raises(DocumentError, match=r"a\.xls"):
            read("a.xls", data)
    with pytest.raises(DocumentError, match="no sheet 'X'"):
        read("a.xls", xlsx_of([[1]]), sheet="X")
