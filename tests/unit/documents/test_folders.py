from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.documents.folders import has_source_files, source_files
from seatrial.documents.globs import matcher
from seatrial.errors import DocumentError


def touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")


def test_a_folder_gives_its_known_files_in_order(tmp_path: Path) -> None:
    for name in ("b.md", "a/z.txt", "a/B.CSV", "picture.zzz", ".hidden.md", ".git/config.md", "~$open.md"):
        touch(tmp_path / name)
    assert [file.source for file in source_files(tmp_path)] == ["a/B.CSV", "a/z.txt", "b.md"]


@pytest.mark.parametrize(
    ("include", "exclude", "expected"),
    [
        (["*.md"], [], ["a.md", "notes/b.md", "notes/old/c.md"]),
        (["/*.md"], [], ["a.md"]),
        (["./*.md"], [], ["a.md"]),
        (["notes/*.md"], [], ["notes/b.md"]),
        (["notes/**"], [], ["notes/b.md", "notes/d.txt", "notes/old/c.md"]),
        (["**/old/*"], [], ["notes/old/c.md"]),
        (["notes"], ["old/"], ["notes/b.md", "notes/d.txt"]),
        ([], ["notes"], ["a.md", "x1.csv", "x2.csv"]),
        (["x[0-1].csv", "?.md"], ["notes/old"], ["a.md", "notes/b.md", "x1.csv"]),
        (["x[!1].csv"], [], ["x2.csv"]),
        (["**/*.md"], ["**/c.*"], ["a.md", "notes/b.md"]),
        (["*.md"], ["*.md"], []),
        (["A.md", "x[", "[z-a]", "../*.md", ""], [], []),
    ],
)
def test_globs_choose_among_the_files_as_in_gitignore(
    tmp_path: Path, include: list[str], exclude: list[str], expected: list[str]
) -> None:
    for name in ("a.md", "notes/b.md", "notes/d.txt", "notes/old/c.md", "x1.csv", "x2.csv", "picture.zzz", ".h/a.md"):
        touch(tmp_path / name)
    assert [file.source for file in source_files(tmp_path, include=include, exclude=exclude)] == expected
    assert has_source_files(tmp_path, include=include, exclude=exclude) is bool(expected)


@given(st.text(alphabet="ab.*?[]!-/\\^z", max_size=12), st.text(alphabet="ab./", min_size=1, max_size=8))
def test_no_glob_breaks_the_search(pattern: str, path: str) -> None:
    assert matcher([pattern])(path) in (True, False)


def test_one_file_is_a_source_too(tmp_path: Path) -> None:
    touch(tmp_path / "faq.md")
    assert [file.source for file in source_files(tmp_path / "faq.md")] == ["faq.md"]


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    touch(tmp_path / "secret.md")
    touch(tmp_path / "docs" / "a.md")
    (tmp_path / "docs" / "link.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "docs" / "same.md").symlink_to(tmp_path / "docs" / "a.md")
    assert [file.source for file in source_files(tmp_path / "docs")] == ["a.md", "same.md"]


def test_a_source_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="nowhere does not exist"):
        source_files(tmp_path / "nowhere")
