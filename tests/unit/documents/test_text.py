from __future__ import annotations

from pathlib import Path

import pytest

from seatrial.documents.base import Limits, ReadOptions
from seatrial.documents.catalog import read_document
from seatrial.errors import DocumentError


def test_markdown_keeps_its_text_and_says_so(read) -> None:
    document = read("faq.md", "# Returns\r\n\r\nWithin 30 days.\r")
    assert document.text == "# Returns\n\nWithin 30 days.\n"
    assert document.text_format == "markdown"


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("utf-32-le", b"\xff\xfe\x00\x00"),
        ("utf-16-le", b""),
        ("utf-16-be", b""),
        ("utf-8", b""),
    ],
)
def test_p013_every_common_encoding_of_a_text_is_read(read, encoding: str, mark: bytes) -> None:
    document = read("a.txt", mark + "Größe: 12 cm, plain words".encode(encoding))
    assert document.text == "Größe: 12 cm, plain words"
    assert document.problems == ()


def test_p013_a_file_of_an_older_program_is_read_and_the_guess_is_told(read) -> None:
    document = read("old.txt", "first line\nGröße “quoted”".encode("cp1252"))
    assert document.text == "first line\nGröße “quoted”"
    assert "old.txt:2" in str(document.problems[0])
    assert "Windows-1252" in str(document.problems[0])


def test_text_that_belies_its_byte_order_mark_is_an_error(read) -> None:
    with pytest.raises(DocumentError, match=r"a\.txt says it is UTF-8 and is not"):
        read("a.txt", b"\xef\xbb\xbfGr\xf6\xdfe")


@pytest.mark.parametrize("content", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
def test_p013_an_empty_file_is_an_error_and_never_silently_nothing(read, content: bytes) -> None:
    with pytest.raises(DocumentError, match=r"a\.txt holds no text"):
        read("a.txt", content)


def test_binary_data_under_a_text_name_is_an_error(read) -> None:
    with pytest.raises(DocumentError, match="NUL"):
        read("a.txt", b"PK\x03\x04abc\x00\x00def more and more text")


def test_an_unknown_type_names_the_known_ones(read) -> None:
    with pytest.raises(DocumentError, match=r"\.xyz") as caught:
        read("a.xyz", "text")
    assert "markdown" in (caught.value.hint or "")


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="does not exist"):
        read_document(tmp_path / "gone.txt")
    (tmp_path / "folder.txt").mkdir()
    with pytest.raises(DocumentError, match="is a folder"):
        read_document(tmp_path / "folder.txt")


def test_a_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "big.txt"
    path.write_text("x" * 101)
    with pytest.raises(DocumentError, match="101 bytes, the limit is 100"):
        read_document(path, options=ReadOptions(limits=Limits(max_bytes=100)))
    with pytest.raises(DocumentError, match="101 characters, the limit is 50"):
        read_document(path, options=ReadOptions(limits=Limits(max_text_chars=50)))


def test_an_explicit_type_wins_over_the_suffix(tmp_path: Path) -> None:
    path = tmp_path / "data.txt"
    path.write_text("a,b\n1,2\n")
    assert read_document(path, file_type="csv").rows == (("a", "b"), ("1", "2"))
    table = tmp_path / "data.csv"
    table.write_text("a,b\n1,2\n")
    assert read_document(table, file_type="text").text == "a,b\n1,2\n"
