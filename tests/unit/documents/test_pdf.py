from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.office_files import pdf_of

from seatrial.documents.base import Limits, ReadOptions
from seatrial.documents.pdf import PdfReader, only_pages, render_pages
from seatrial.errors import DocumentError

THREE = pdf_of(["First page\nwith two lines", "Second page", "Third page"])


def test_each_page_is_a_section_of_its_own(read) -> None:
    document = read("a.pdf", THREE)
    assert document.text == "First page\nwith two lines\n\nSecond page\n\nThird page"
    assert [(section.place, document.text[section.start : section.end]) for section in document.sections] == [
        ("page 1", "First page\nwith two lines"),
        ("page 2", "Second page"),
        ("page 3", "Third page"),
    ]


def test_h014_pages_count_from_1_and_come_as_asked(read) -> None:
    assert read("a.pdf", THREE, pages=(3, 1, 3)).text == "Third page\n\nFirst page\nwith two lines"


@pytest.mark.parametrize(("pages", "said"), [((0,), "no page 0"), ((2, 4, 9), "no pages 4, 9; it has 3 pages")])
def test_p013_a_page_that_is_not_there_is_an_error(read, pages: tuple[int, ...], said: str) -> None:
    with pytest.raises(DocumentError, match=said):
        read("a.pdf", THREE, pages=pages)


def test_p013_a_scan_is_told_and_never_silently_nothing(read) -> None:
    document = read("scan.pdf", pdf_of([None]))
    assert document.text == ""
    assert document.blank_pages == (1,)
    assert "no page has a text layer: a scan" in str(document.problems[0])
    mixed = read("mixed.pdf", pdf_of(["text", None, None]))
    assert "pages 2, 3 without a text layer" in str(mixed.problems[0])


def test_p013_a_password_and_damage_are_told_apart(read) -> None:
    with pytest.raises(DocumentError, match="protected by a password"):
        read("a.pdf", pdf_of(["x"], password="secret"))
    with pytest.raises(DocumentError, match="is empty"):
        read("a.pdf", b"")
    with pytest.raises(DocumentError, match="damaged or no PDF"):
        read("a.pdf", b"%PDF-1.4 nothing more")


def test_too_many_pages_are_refused_unless_some_are_chosen(read) -> None:
    with pytest.raises(DocumentError, match="3 pages, the limit is 2"):
        read("a.pdf", THREE, limits=Limits(max_pages=2))
    assert read("a.pdf", THREE, pages=(3,), limits=Limits(max_pages=2)).text == "Third page"


def test_a_part_of_a_pdf_holds_the_chosen_pages_alone() -> None:
    part = only_pages(THREE, "a.pdf", ReadOptions(pages=(3, 1)))
    assert PdfReader().read(part, "part.pdf", ReadOptions()).text == "Third page\n\nFirst page\nwith two lines"


def test_pages_are_drawn_as_pictures() -> None:
    drawn = dict(render_pages(THREE, "a.pdf", [2, 3], ReadOptions()))
    assert list(drawn) == [2, 3]
    assert all(data.startswith(b"\x89PNG") for data in drawn.values())


def test_many_threads_read_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda _: PdfReader().read(THREE, "a.pdf", ReadOptions()).text, range(40)))
    assert len(set(texts)) == 1


@given(st.binary(max_size=200))
def test_any_bytes_give_a_document_error(data: bytes) -> None:
    with pytest.raises(DocumentError):
        PdfReader().read(b"%PDF-1.7\n" + data, "a.pdf", ReadOptions())
