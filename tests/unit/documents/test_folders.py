from __future__ import annotations

from pathlib import Path

import pytest

from seatrial.documents.folders import source_files
from seatrial.errors import DocumentError


def touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")


def test_a_folder_gives_its_known_files_in_order(tmp_path: Path) -> None:
    for name in ("b.md", "a/z.txt", "a/B.CSV", "picture.zzz", ".hidden.md", ".git/config.md", "~$open.md"):
        touch(tmp_path / name)
    assert [file.source for file in source_files(tmp_path)] == ["a/B.CSV", "a/z.txt", "b.md"]


def test_patterns_choose_among_the_files(tmp_path: Path) -> None:
    for name in ("a.md", "deep/b.md", "deep/c.txt"):
        touch(tmp_path / name)
    assert [file.source for file in source_files(tmp_path, patterns=("**/*.md", "deep/*"))] == [
        "a.md",
        "deep/b.md",
        "deep/c.txt",
    ]


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
