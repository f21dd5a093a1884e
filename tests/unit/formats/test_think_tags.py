from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.formats.think_tags import ThinkSplitter


def split(pieces: list[str], *, is_begun: bool = False) -> tuple[str, str]:
    """Reasoning and text of an answer that comes in pieces."""
    splitter = ThinkSplitter(is_begun=is_begun)
    reasoning, text = "", ""
    for part in [part for piece in pieces for part in splitter.feed(piece)] + splitter.end():
        if part.kind == "reasoning":
            reasoning += part.text
        elif part.kind == "text":
            text += part.text
        else:
            reasoning, text = reasoning + text, ""
    return reasoning, text


ANSWERS = [
    ("<think>\nFirst I add.\n</think>\n\n42", "\nFirst I add.\n", "42"),
    ("  <THINK>hm</THINK>Yes.", "hm", "Yes."),
    ("<thinking>a</thinking>b", "a", "b"),
    ("<think>a</think>\n<think>b</think> c", "ab", "c"),
    ("<think>never closed", "never closed", ""),
    ("<think></think>Just this.", "", "Just this."),
    ("weigh both\n</think>{}", "weigh both\n", "{}"),
    ("weigh both\n  </think>\n\nDone.", "weigh both\n  ", "Done."),
    ("weigh both\r\n</think>\r\nDone.", "weigh both\r\n", "Done."),
    ("a\n</think>\n</think>b\nc", "a\n", "b\nc"),
    ("</think>Done.", "", "Done."),
    ("Use `<think>draft</think>` to mark notes.", "", "Use `<think>draft</think>` to mark notes."),
    ("Close it with `</think>`\nand go on.", "", "Close it with `</think>`\nand go on."),
    ("The tag </think> ends it.", "", "The tag </think> ends it."),
    ("Close it with </think>", "", "Close it with </think>"),
    (
        "The model closes with </think>\nThen comes the answer.",
        "",
        "The model closes with </think>\nThen comes the answer.",
    ),
    ("a </think>\nb\n</think>\nc", "", "a </think>\nb\n</think>\nc"),
    ("```\n</think>\n```", "", "```\n</think>\n```"),
    ("<thin\u212a>x", "", "<thin\u212a>x"),
    ("Notes: <think>a\n</think>\nb", "", "Notes: <think>a\n</think>\nb"),
    ("1 < 2 and <thing> stays", "", "1 < 2 and <thing> stays"),
    ("<thin", "", "<thin"),
    ("<thinker>x</thinker>", "", "<thinker>x</thinker>"),
    ("<think>a</think>later <think>b</think>", "a", "later <think>b</think>"),
    ("", "", ""),
    ("   ", "", "   "),
]


@pytest.mark.parametrize(("answer", "reasoning", "text"), ANSWERS)
def test_p004_case_38_leading_thoughts_are_reasoning_and_later_tags_are_text(
    answer: str, reasoning: str, text: str
) -> None:
    assert split([answer]) == (reasoning, text)
    assert split(list(answer)) == (reasoning, text)


@pytest.mark.parametrize(
    ("answer", "reasoning", "text"),
    [
        ("weigh both</think>\n\nDone.", "weigh both", "Done."),
        ("weigh `a` and ` both</think>Done.", "weigh `a` and ` both", "Done."),
        ("Just this.", "", "Just this."),
        ("a</think>Close it with </think>\nb", "a", "Close it with </think>\nb"),
    ],
)
def test_case_38_where_the_prompt_has_opened_the_tag_the_first_closing_one_ends_the_thoughts(
    answer: str, reasoning: str, text: str
) -> None:
    assert split([answer], is_begun=True) == (reasoning, text)
    assert split(list(answer), is_begun=True) == (reasoning, text)


def test_case_68_no_piece_of_a_tag_is_told_as_text() -> None:
    splitter = ThinkSplitter()
    parts = [part for piece in ("<th", "ink>x</th", "ink>y") for part in splitter.feed(piece)] + splitter.end()
    assert [(part.kind, part.text) for part in parts] == [("reasoning", "x"), ("text", "y")]


PIECES = st.sampled_from(
    ["<think>", "</think>", "<", "</", "think", ">", "`", "\n", " ", "a", "<thinking>", "</THINK>"]
)


@given(st.lists(PIECES, max_size=14).map("".join), st.lists(st.integers(0, 80), max_size=6))
def test_p002_no_cut_changes_what_is_read(answer: str, places: list[int]) -> None:
    cuts = sorted({place % (len(answer) + 1) for place in places})
    pieces = [answer[a:b] for a, b in zip([0, *cuts], [*cuts, len(answer)], strict=True)]
    assert split(pieces) == split([answer])


@given(st.text())
def test_text_without_tags_stays_as_it_is(answer: str) -> None:
    if "think" not in answer and "reasoning" not in answer and "thought" not in answer:
        assert split(list(answer)) == ("", answer)
