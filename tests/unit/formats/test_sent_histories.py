"""A repaired history is a valid request on every wire, whatever was in it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.core.content import FileContent, ImageContent, ReasoningContent, TextContent, ToolCall
from seatrial.core.history import repair_history
from seatrial.core.json_form import read_messages
from seatrial.core.messages import AssistantMessage, Message, UserMessage
from seatrial.core.model import ModelRequest
from seatrial.formats.anthropic_messages import (
    AnthropicDialect,
    anthropic_blocks,
    encode_anthropic_request,
    to_anthropic,
)
from seatrial.formats.encoded import EncodedMessages
from seatrial.formats.ollama_chat import to_ollama
from seatrial.formats.openai_chat import OPENAI_CHAT, encode_chat_request, to_openai
from seatrial.formats.openai_responses import encode_responses_request, to_responses

BROKEN = [
    '{"a"',
    '{"a":1} x',
    '{"a":01}',
    "{'a':1}",
    '{"a":1',
    "[1]",
    "null",
    '"x"',
    "",
    "{",
    '{"a":NaN}',
    '{"a":"\ud800"}',
]
READER = "p/m"
PICTURE = ImageContent("iVBORw0KGgo=", "image/png")


def bodies(messages: tuple[Message, ...]) -> dict[str, Any]:
    """The bodies that are sent, read again by a strict reader."""
    request = ModelRequest("", messages)
    chat = EncodedMessages(lambda message: ([one] if (one := to_openai(message, reader=READER)) else [], []))
    items = EncodedMessages(lambda message: (to_responses(message, READER), []))
    dialect = AnthropicDialect(reader=READER)
    blocks = EncodedMessages(lambda message: anthropic_blocks(message, dialect))
    sent = {
        "chat": encode_chat_request(request, model="m", dialect=OPENAI_CHAT, encoded=chat, stream=False, extra={}),
        "responses": encode_responses_request(
            request, model="m", encoded=items, stream=False, has_sampling=True, extra={}
        ),
        "anthropic": encode_anthropic_request(
            request, model="m", dialect=dialect, encoded=blocks, stream=False, extra={}
        ),
    }
    return {wire: msgspec.json.decode(body) for wire, body in sent.items()}


@pytest.mark.parametrize("text", BROKEN)
def test_p005_arguments_that_are_no_json_are_sent_as_what_was_run(text: str) -> None:
    made = AssistantMessage((ToolCall("i", "get", {"a": 1}, arguments_text=text),))
    told = {"role": "assistant", "content": [{"type": "function", "id": "i", "name": "get", "arguments": {"a": 1}}]}
    told["content"][0]["arguments_text"] = text
    for message in (made, *read_messages([told])):
        sent = bodies(repair_history([UserMessage("hi"), message]))
        assert sent["anthropic"]["messages"][1]["content"][0]["input"] == {"a": 1}
        assert sent["chat"]["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"a":1}'
        assert sent["responses"]["input"][1]["arguments"] == '{"a":1}'


def test_arguments_that_are_json_are_sent_byte_for_byte() -> None:
    message = AssistantMessage((ToolCall("i", "get", {"a": 1}, arguments_text='{ "a" :1 }'),))
    sent = bodies((message,))
    assert sent["chat"]["messages"][0]["tool_calls"][0]["function"]["arguments"] == '{ "a" :1 }'


SIGNATURES = st.sampled_from(
    ["", "{", "x", "[", '{"type":"reasoning"}', '[{"a":1}]', "null", '{"a":\ud800}', '{"a":1} b']
)
FIELDS = st.sampled_from(
    [None, "reasoning_item", "reasoning_details", "extra_content", "reasoning", "tool_calls", "role", "content"]
)
BLOCKS = st.one_of(
    st.sampled_from(["", " ", "a"]).map(TextContent),
    st.just(PICTURE),
    st.builds(ReasoningContent, st.sampled_from(["", "r"]), signature=SIGNATURES | st.none(), wire_field=FIELDS),
    st.builds(
        ToolCall,
        st.sampled_from(["", "a", "b"]),
        st.just("get"),
        st.just({"a": 1}),
        st.none() | st.sampled_from([*BROKEN, '{"a": 1}']),
    ),
)
SHOWN = st.lists(
    st.sampled_from([TextContent(""), TextContent("a"), PICTURE, FileContent("aGk=", "text/plain")]), max_size=3
)
HISTORIES = st.lists(
    SHOWN.map(lambda blocks: UserMessage(tuple(blocks)))
    | st.lists(BLOCKS, max_size=4).map(lambda blocks: AssistantMessage(tuple(blocks), provider="p", model="m")),
    max_size=5,
)


@given(HISTORIES)
def test_p005_whatever_is_in_a_history_every_body_is_json_without_empty_messages(history: list[Message]) -> None:
    sent = repair_history(history)
    found = bodies(sent)
    for message, wire in zip(sent, found["chat"]["messages"], strict=True):
        assert wire["role"] == {"user": "user", "assistant": "assistant", "tool": "tool"}[message.role]
        assert wire["content"] or wire["tool_calls"]
    for wire in (found["chat"]["messages"], found["anthropic"]["messages"], found["responses"]["input"]):
        assert empty_texts(wire) == []


def empty_texts(value: Any) -> list[Any]:
    """The text blocks in it that hold nothing."""
    if isinstance(value, list):
        return [found for item in value for found in empty_texts(item)]
    if isinstance(value, dict):
        own = [value] if value.get("type") in ("text", "input_text") and value.get("text") == "" else []
        return own + [found for item in value.values() for found in empty_texts(item)]
    return []


def test_a_reply_that_is_nothing_but_a_picture_is_told_in_words_on_every_wire() -> None:
    sent = repair_history([UserMessage("draw"), AssistantMessage((TextContent(" "), PICTURE)), UserMessage("again")])
    assert [message.role for message in sent] == ["user", "assistant", "user"]
    for wire in (to_openai(sent[1]), to_anthropic(sent[1]), to_ollama(sent[1]), to_responses(sent[1])[0]):
        assert isinstance(wire, dict)
        assert "an image" in str(wire["content"])


def test_an_empty_text_beside_a_picture_is_left_out() -> None:
    message = UserMessage((TextContent(""), PICTURE))
    wire = to_openai(message)
    assert wire is not None
    assert [part["type"] for part in wire["content"]] == ["image_url"]
    item = to_responses(message)[0]
    assert isinstance(item, dict)
    assert [part["type"] for part in item["content"]] == ["input_image"]
