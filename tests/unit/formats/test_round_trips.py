"""What is written for a provider and read back is what it was, on every wire."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.core.content import AssistantBlock, ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage
from seatrial.formats.anthropic_messages import AnthropicDialect, from_anthropic, to_anthropic
from seatrial.formats.openai_chat import from_openai, to_openai
from seatrial.formats.openai_responses import to_responses
from seatrial.formats.reading import Reading
from seatrial.formats.tolerant import parse_response
from seatrial.formats.wire_json import encode

READING = Reading(provider="p", model="m", has_think_tags=False, has_text_calls=False)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=20).filter(str.strip)
VALUES = st.integers(-(2**40), 2**40) | TEXTS | st.none() | st.booleans() | st.lists(TEXTS, max_size=2)
ARGUMENTS = st.dictionaries(TEXTS, VALUES | st.dictionaries(TEXTS, VALUES, max_size=2), max_size=3)
NAMES = st.from_regex(r"[a-z_]{1,12}", fullmatch=True)
CALLS = st.builds(ToolCall, id=st.uuids().map(str), name=NAMES, arguments=ARGUMENTS)
THOUGHTS = st.builds(ReasoningContent, TEXTS, signature=TEXTS) | st.builds(ReasoningContent, st.just(""), data=TEXTS)
FIELDS = st.builds(ReasoningContent, TEXTS, wire_field=st.sampled_from(["reasoning_content", "reasoning"]))


def said(blocks: list[AssistantBlock]) -> AssistantMessage:
    return AssistantMessage(tuple(blocks), provider="p", model="m")


def told(message: AssistantMessage) -> list[Any]:
    """The blocks without what reading adds: the arguments' own text."""
    plain = [
        ToolCall(block.id, block.name, block.arguments) if isinstance(block, ToolCall) else block
        for block in message.content
    ]
    assert all(not isinstance(block, ToolCall) or block.arguments_error is None for block in message.content)
    return plain


def over_the_wire(value: Any) -> Any:
    return json.loads(encode(value))


@given(st.lists(TEXTS.map(TextContent) | CALLS | THOUGHTS, min_size=1, max_size=5))
def test_anthropics_blocks_come_back_in_order_with_their_proofs(blocks: list[AssistantBlock]) -> None:
    message = said(blocks)
    wire = to_anthropic(message, AnthropicDialect(reader="p/m"))
    if wire is None:
        assert not any(isinstance(block, TextContent | ToolCall) for block in blocks)
        return
    back = from_anthropic(over_the_wire({**wire, "stop_reason": "end_turn"}), READING)
    assert merged(told(back)) == merged(told(message))


@given(st.lists(TEXTS.map(TextContent), max_size=1), st.lists(CALLS, max_size=3), st.lists(FIELDS, max_size=1))
def test_the_chat_wire_gives_back_thoughts_text_and_calls(
    texts: list[AssistantBlock], calls: list[AssistantBlock], thoughts: list[AssistantBlock]
) -> None:
    message = said([*(thoughts if calls else []), *texts, *calls])
    wire = to_openai(message, reader="p/m")
    if wire is None:
        assert not texts
        return
    back = from_openai(over_the_wire({"choices": [{"message": wire, "finish_reason": "stop"}]}), READING)
    assert told(back) == told(message)


@given(st.lists(TEXTS.map(TextContent) | CALLS, min_size=1, max_size=5))
def test_the_items_of_the_responses_wire_come_back_in_order(blocks: list[AssistantBlock]) -> None:
    message = said(blocks)
    items = over_the_wire(to_responses(message, "p/m"))
    back = parse_response({"output": items, "status": "completed"}, READING)
    assert merged(told(back)) == merged(told(message))


@pytest.mark.parametrize("write", [to_openai, to_anthropic, to_responses])
@given(CALLS)
def test_writing_twice_gives_the_same_bytes(write: Callable[[AssistantMessage], Any], call: ToolCall) -> None:
    assert encode(write(said([call]))) == encode(write(said([call])))


def merged(blocks: list[Any]) -> list[Any]:
    """Neighbouring texts as one: where a text is cut is not for the reader to know."""
    found: list[Any] = []
    for block in blocks:
        if found and isinstance(block, TextContent) and isinstance(found[-1], TextContent):
            found[-1] = TextContent(found[-1].text + block.text)
        else:
            found.append(block)
    return found
