from __future__ import annotations

import io
import re

import pytest

from seatrial.cli.index_progress import IndexBar
from seatrial.retrieval.report import IndexProgress


class Screen(io.StringIO):
    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")

    def show(*steps: IndexProgress, is_terminal: bool = True) -> str:
        screen = Screen(is_terminal)
        monkeypatch.setattr("sys.stderr", screen)
        with IndexBar("docs") as bar:
            for step in steps:
                bar(step)
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())

    return show


def test_the_bar_tells_tool_files_and_the_passages_of_the_file_at_hand(shown) -> None:
    text = shown(IndexProgress(1, 4, "a.md", 3, 8))
    assert "docs" in text
    assert "1/4 files" in text
    assert "a.md 3/8 passages" in text


def test_the_bar_says_that_it_waits_for_another_process(shown) -> None:
    assert "waiting for another process" in shown(IndexProgress(0, 0, is_waiting=True))


def test_no_name_of_a_file_moves_the_cursor(shown) -> None:
    assert "\x1b]" not in shown(IndexProgress(0, 1, "a\x1b]0;evil\x07.md", 1, 2))


def test_nothing_is_shown_where_stderr_is_no_terminal(shown) -> None:
    assert shown(IndexProgress(1, 4, "a.md", 3, 8), is_terminal=False) == ""
