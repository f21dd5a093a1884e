from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from seatrial.reporters.plain import one_line, visible


def test_escape_sequences_are_shown_and_not_obeyed() -> None:
    assert visible("\x1b[31mred\x1b[0m \x07 \x00 \x9b2J") == "\\x1b[31mred\\x1b[0m \\x07 \\x00 \\x9b2J"


def test_text_direction_cannot_be_turned_round() -> None:
    assert visible("abc\u202edef") == "abc\\u202edef"
    assert visible("abc\u061cdef") == "abc\\u061cdef"


def test_ordinary_text_of_any_script_stays() -> None:
    text = "naïve 日本語 😀 \t tab\nline"
    assert visible(text) == text


@given(st.text(st.characters(categories=None)))
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = visible(text)
    assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cs") and char not in "\t\n"]
    shown.encode("utf-8")


@given(st.text(), st.integers(1, 60))
def test_one_line_is_one_line_and_no_wider_than_asked(text: str, width: int) -> None:
    shown = one_line(text, width)
    assert "\n" not in shown
    assert len(shown) <= width
