from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from seatrial.cli.chat.blocks import Blocks

MARKDOWN = st.lists(st.sampled_from(["a", "b c", "\n", "\n\n", "```", "~~~", "  ", "- x", "1. y", "    code"])).map(
    "".join
)


def cut(text: str, size: int) -> list[str]:
    """All blocks of a text that comes in pieces of this size."""
    blocks = Blocks()
    found = [block for at in range(0, len(text), size) for block in blocks.feed(text[at : at + size])]
    rest = blocks.finish()
    return [*found, rest] if rest else found


def test_a_block_is_given_out_when_the_next_one_begins() -> None:
    blocks = Blocks()
    assert blocks.feed("one\ntwo\n\n") == []
    assert blocks.feed("three") == ["one\ntwo"]
    assert (blocks.rest, blocks.finish(), blocks.finish()) == ("three", "three", "")


def test_code_and_what_belongs_to_a_list_are_not_cut() -> None:
    assert cut("```\na\n\nb\n```\n\nend", 3) == ["```\na\n\nb\n```", "end"]
    assert cut("1. x\n\n   more\n\nend", 2) == ["1. x\n\n   more", "end"]


@given(MARKDOWN, st.integers(1, 7))
def test_how_a_text_is_cut_changes_no_block_and_loses_nothing(text: str, size: int) -> None:
    found = cut(text, size)
    assert found == cut(text, max(len(text), 1))
    assert [line for block in found for line in block.split("\n") if line.strip()] == [
        line for line in text.split("\n") if line.strip()
    ]
