from __future__ import annotations

import contextlib
import io
import re
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.office_files import word, xlsx_of

from seatrial.documents.base import ReadOptions
from seatrial.documents.word import WordReader
from seatrial.errors import DocumentError


def with_body(data: bytes, old: str, new: str) -> bytes:
    """The document with a piece of its XML replaced, for what the library cannot write."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w") as after:
        for name in before.namelist():
            content = before.read(name)
            if name == "word/document.xml":
                changed = content.decode().replace(old, new)
                assert changed != content.decode()
                content = changed.encode()
            after.writestr(name, content)
    return out.getvalue()


def test_headings_paragraphs_lists_and_tables_keep_their_order(read) -> None:
    def fill(document) -> None:
        document.add_heading("Contract", 0)
        document.add_paragraph("Between A and B.")
        document.add_heading("Duties", 1)
        document.add_paragraph("first", style="List Bullet")
        document.add_paragraph("second", style="List Number")
        table = document.add_table(2, 2)
        for cell, text in zip([c for row in table.rows for c in row.cells], ["Party", "Due", "A", "May"], strict=True):
            cell.text = text
        document.add_heading("Details", 2)
        document.add_paragraph("After the table.")

    assert read("a.docx", word(fill)).text == (
        "# Contract\n\nBetween A and B.\n\n# Duties\n\n- first\n- second\n\n"
        "| Party | Due |\n| --- | --- |\n| A | May |\n\n## Details\n\nAfter the table."
    )


def test_p013_merged_and_nested_cells_lose_no_text(read) -> None:
    def fill(document) -> None:
        table = document.add_table(3, 3)
        for number, cell in enumerate(c for row in table.rows for c in row.cells):
            cell.text = f"c{number}"
        table.cell(1, 0).merge(table.cell(2, 0)).text = "down"
        table.cell(0, 1).merge(table.cell(0, 2)).text = "across"
        nested = table.cell(2, 2).add_table(1, 2)
        nested.cell(0, 0).text, nested.cell(0, 1).text = "left", "right"

    assert read("a.docx", word(fill)).text == (
        "| c0 | across |  |\n| --- | --- | --- |\n| down | c4 | c5 |\n| down | c7 | c8<br>left; right |"
    )


def test_inserted_text_is_in_and_deleted_text_is_out(read) -> None:
    data = word(lambda document: document.add_paragraph("KEEP"))
    run = "<w:r><w:t>{}</w:t></w:r>"
    tracked = (
        f'<w:ins w:id="1" w:author="a">{run.format("new ")}</w:ins>'
        '<w:del w:id="2" w:author="a"><w:r><w:delText>gone</w:delText></w:r></w:del>' + run.format("kept")
    )
    assert read("a.docx", with_body(data, "<w:r><w:t>KEEP</w:t></w:r>", tracked)).text == "new kept"


def test_text_in_content_controls_and_links_is_read(read) -> None:
    data = word(lambda document: document.add_paragraph("KEEP"))
    control = (
        "<w:sdt><w:sdtContent><w:r><w:t>in a field</w:t></w:r></w:sdtContent></w:sdt>"
        "<w:hyperlink><w:r><w:tab/><w:t>a link</w:t></w:r></w:hyperlink>"
    )
    assert read("a.docx", with_body(data, "<w:r><w:t>KEEP</w:t></w:r>", control)).text == "in a field\ta link"


def test_a_text_box_is_read_once(read) -> None:
    data = word(lambda document: document.add_paragraph("KEEP"))
    box = "<w:txbxContent><w:p><w:r><w:t>in a box</w:t></w:r></w:p></w:txbxContent>"
    both = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f'<mc:Choice Requires="wps"><w:drawing>{box}</w:drawing></mc:Choice>'
        f"<mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent>"
    )
    shown = read("a.docx", with_body(data, "<w:r><w:t>KEEP</w:t></w:r>", f"<w:r><w:t>around</w:t>{both}</w:r>")).text
    assert shown == "around\n\nin a box"


def test_p013_a_password_damage_and_emptiness_are_told_apart(read) -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
    whole = word(lambda document: document.add_paragraph("x"))
    for data, said in (
        (ole + "EncryptedPackage".encode("utf-16-le"), "protected by a password"),
        (ole, "old binary format"),
        (b"", "is empty"),
        (xlsx_of([[1]]), "but no Word document"),
        (whole[: len(whole) // 2], "is no Word document"),
        (word(lambda _document: None), "holds no text"),
        (with_body(whole, "<w:body>", "<w:body><broken>"), "damaged"),
    ):
        with pytest.raises(DocumentError, match=said):
            read("a.docx", data)


def test_entities_in_a_document_are_not_expanded(read) -> None:
    data = word(lambda document: document.add_paragraph("KEEP"))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w") as after:
        for name in before.namelist():
            content = before.read(name)
            if name == "word/document.xml":
                text = re.sub(r"^<\?xml[^>]*\?>", "", content.decode())
                lol = '<!DOCTYPE w [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
                content = (lol + text.replace("KEEP", "x&b;x")).encode()
            after.writestr(name, content)
    with contextlib.suppress(DocumentError):
        assert "lollol" not in read("a.docx", out.getvalue()).text


@given(st.binary(max_size=200))
def test_any_bytes_give_a_document_error(data: bytes) -> None:
    with pytest.raises(DocumentError):
        WordReader().read(data, "a.docx", ReadOptions())
