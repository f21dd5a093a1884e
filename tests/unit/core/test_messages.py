"""Messages, content blocks and their JSON form."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.core.content import FileContent, ImageContent, ReasoningContent, TextContent, ToolCall
from seatrial.core.json_form import read_messages
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage, as_user_message
from seatrial.core.usage import UNKNOWN_USAGE, Usage
from seatrial.errors import RunError

WHEN = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def test_y001_a_user_message_is_text_or_blocks_with_a_utc_time() -> None:
    short = UserMessage("hello")
    long = UserMessage((TextContent("see "), ImageContent("aGk=", "image/png"), TextContent("this")))
    assert (short.role, short.text, short.blocks) == ("user", "hello", (TextContent("hello"),))
    assert long.text == "see this"
    assert short.timestamp.utcoffset() == timedelta(0)


def test_y002_an_assistant_message_needs_nothing_but_its_content() -> None:
    message = AssistantMessage((TextContent("hi"),))
    assert (message.role, message.text, message.stop_reason, message.error_message) == ("assistant", "hi", "stop", None)
    assert message.usage == UNKNOWN_USAGE
    assert message.usage.input_tokens is None
    assert message.timestamp.utcoffset() == timedelta(0)


def test_y002_the_stop_reason_end_turn_reads_as_stop() -> None:
    (message,) = read_messages([{"role": "assistant", "content": [], "stop_reason": "end_turn"}])
    assert isinstance(message, AssistantMessage)
    assert message.stop_reason == "stop"


def test_y003_text_reasoning_and_calls_stand_in_one_ordered_content() -> None:
    message = AssistantMessage((ReasoningContent("hm"), TextContent("let me look"), ToolCall("1", "look", {"at": 3})))
    assert [call.name for call in message.tool_calls] == ["look"]
    assert message.text == "let me look"
    assert [thought.text for thought in message.reasoning] == ["hm"]
    assert AssistantMessage().tool_calls == []


def test_y004_a_tool_result_is_written_with_the_role_tool_and_read_with_either() -> None:
    result = ToolResultMessage(
        "c1", "look", (TextContent("ok"),), {"rows": [1]}, Usage(3, 4), added_tool_names=("more",), is_error=True
    )
    raw = msgspec.to_builtins(result)
    assert raw["role"] == "tool"
    assert read_messages([raw]) == (result,)
    assert read_messages([{**raw, "role": "toolResult"}]) == (result,)


def test_y005_a_tool_call_is_a_function_with_a_dict_of_arguments() -> None:
    call = ToolCall("c1", "look", {"at": 3})
    assert call.type == "function"
    assert msgspec.to_builtins(call) == {"type": "function", "id": "c1", "name": "look", "arguments": {"at": 3}}


def test_y006_reasoning_keeps_its_signature_through_json() -> None:
    blocks = (TextContent("a"), ReasoningContent("b", signature="s1g=="), ReasoningContent("", data="opaque"))
    message = AssistantMessage(blocks)
    assert read_messages([msgspec.json.decode(msgspec.json.encode(message))]) == (message,)
    assert blocks[2].is_redacted


def test_the_spellings_of_other_tools_are_read() -> None:
    messages = read_messages(
        [
            {"role": "user", "content": [{"type": "image", "data": "aGk=", "mimeType": "image/png"}]},
            {
                "role": "assistant",
                "content": "looking",
                "stopReason": "tool_calls",
                "tool_calls": [{"id": "c1", "name": "look", "arguments": {"atRow": 1}}],
            },
            {"role": "toolResult", "toolCallId": "c1", "toolName": "look", "content": [], "isError": True},
        ]
    )
    user, assistant, result = messages
    assert user.content == (ImageContent("aGk=", "image/png"),)
    assert assistant.content == (TextContent("looking"), ToolCall("c1", "look", {"atRow": 1}))
    assert isinstance(result, ToolResultMessage)
    assert (result.tool_call_id, result.is_error) == ("c1", True)


@pytest.mark.parametrize(
    "raw", [{"role": "wizard"}, {"role": "user", "content": 3}, {"content": "x"}, "user", None, {"role": "tool"}]
)
def test_what_is_no_message_is_refused_with_its_place(raw: object) -> None:
    with pytest.raises(RunError, match="message 1 of the history"):
        read_messages([{"role": "user", "content": "x"}, raw])


def test_an_empty_prompt_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="empty"):
        as_user_message("  \n")
    picture = UserMessage((ImageContent("aGk=", "image/png"),))
    assert as_user_message(picture) is picture


texts = st.text(st.characters(codec="utf-8"), max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
arguments = st.dictionaries(texts, json_values, max_size=3)
blocks = st.builds(TextContent, texts) | st.builds(ImageContent, texts, texts)
messages = (
    st.builds(UserMessage, texts | st.lists(blocks | st.builds(FileContent, texts, texts), max_size=3).map(tuple))
    | st.builds(
        AssistantMessage,
        st.lists(
            blocks
            | st.builds(ReasoningContent, texts, st.none() | texts)
            | st.builds(ToolCall, texts, texts, arguments),
            max_size=3,
        ).map(tuple),
    )
    | st.builds(ToolResultMessage, texts, texts, st.lists(blocks, max_size=2).map(tuple), json_values)
)


@given(st.lists(messages, max_size=5))
def test_every_history_survives_json(history: list[Message]) -> None:
    assert read_messages(msgspec.json.decode(msgspec.json.encode(history))) == tuple(history)
