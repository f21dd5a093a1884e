from __future__ import annotations

import base64
import json
from functools import partial
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.core.content import FileContent, ImageContent, ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.model import ModelRequest, Sampling, ToolSpec
from seatrial.formats.anthropic_messages import (
    AnthropicDialect,
    anthropic_blocks,
    encode_anthropic_request,
    legal_id,
    to_anthropic,
)
from seatrial.formats.anthropic_stream import anthropic_stream
from seatrial.formats.encoded import EncodedMessages
from seatrial.formats.tolerant import parse_response
from seatrial.formats.wire_json import encode

CAT = ImageContent("aWNo", "image/png")
UNMARKED = AnthropicDialect(has_cache_marks=False)
OWN = AnthropicDialect(reader="anthropic/claude", has_cache_marks=False)
MARK = {"type": "ephemeral"}


def body_of(request: ModelRequest, dialect: AnthropicDialect = UNMARKED) -> Any:
    encoded = EncodedMessages(partial(anthropic_blocks, dialect=dialect))
    return json.loads(
        encode_anthropic_request(request, model="claude", dialect=dialect, encoded=encoded, stream=False, extra={})
    )


def wire_of(message: Message, dialect: AnthropicDialect = UNMARKED) -> Any:
    return json.loads(msgspec.json.encode(to_anthropic(message, dialect)))


def call(call_id: str, **arguments: Any) -> ToolCall:
    return ToolCall(call_id, "look", arguments)


def result(call_id: str, *blocks: Any, is_error: bool = False) -> ToolResultMessage:
    return ToolResultMessage(call_id, "look", blocks, is_error=is_error)


def test_user_blocks() -> None:
    pdf = FileContent("cGRm", "application/pdf", "a.pdf")
    text = FileContent(base64.b64encode(b"plain").decode(), "text/plain")
    assert wire_of(UserMessage((TextContent("See:"), CAT, pdf, text)))["content"] == [
        {"type": "text", "text": "See:"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aWNo"}},
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "cGRm"},
            "title": "a.pdf",
        },
        {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "plain"}},
    ]


def test_a_batch_of_results_and_the_user_words_after_it_are_one_message() -> None:
    history = (
        UserMessage("Go."),
        AssistantMessage((TextContent("I look."), call("a", x=1), call("b"))),
        result("a", TextContent("one")),
        result("b", TextContent("two")),
        UserMessage("And?"),
    )
    messages = body_of(ModelRequest("", history))["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert messages[1]["content"][1] == {"type": "tool_use", "id": "a", "name": "look", "input": {"x": 1}}
    assert [block["type"] for block in messages[2]["content"]] == ["tool_result", "tool_result", "text"]


def test_case_47_a_picture_stands_in_its_result_and_behind_all_results_of_a_failure() -> None:
    history = (AssistantMessage((call("a"), call("b"))), result("a", CAT, is_error=True), result("b", CAT))
    content = body_of(ModelRequest("", history))["messages"][1]["content"]
    assert [block["type"] for block in content] == ["tool_result", "tool_result", "image"]
    assert content[0]["is_error"] is True
    assert content[0]["content"] == [{"type": "text", "text": "(no output)"}]
    assert content[1]["content"][0]["type"] == "image"
    assert "is_error" not in content[1]


def test_case_42_thinking_goes_back_unchanged_and_in_order_to_its_own_model() -> None:
    blocks = [
        {"type": "thinking", "thinking": "Check.", "signature": "sig+/="},
        {"type": "redacted_thinking", "data": "c2VjcmV0"},
        {"type": "text", "text": "One moment."},
        {"type": "thinking", "thinking": "", "signature": "empty"},
        {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"a": 1}},
    ]
    reply = parse_response({"content": blocks, "stop_reason": "tool_use", "provider": "anthropic", "model": "claude"})
    assert wire_of(reply, OWN)["content"] == blocks
    assert [block["type"] for block in wire_of(reply)["content"]] == ["text", "tool_use"]


def test_reasoning_of_another_wire_is_not_sent() -> None:
    thought = ReasoningContent("x", signature="[]", wire_field="reasoning_details")
    message = AssistantMessage((thought, TextContent("Hi.")), provider="anthropic", model="claude")
    assert [block["type"] for block in wire_of(message, OWN)["content"]] == ["text"]


def test_case_43_foreign_ids_are_made_legal_and_pair_up() -> None:
    odd = "call_x|fc_" + "y" * 400
    history = (AssistantMessage((call(odd), call(odd + "z"), call("toolu_1"))), result(odd), result(odd + "z"))
    messages = body_of(ModelRequest("", history))["messages"]
    ids = [block["id"] for block in messages[0]["content"]]
    assert [block["tool_use_id"] for block in messages[1]["content"]] == ids[:2]
    assert len(set(ids)) == 3
    assert ids[2] == "toolu_1"


@given(st.text(max_size=90), st.text(max_size=90))
def test_made_up_ids_are_legal_and_do_not_collide(one: str, other: str) -> None:
    made = legal_id(one)
    assert 0 < len(made) <= 64
    assert all(char.isascii() and (char.isalnum() or char in "_-") for char in made)
    assert (made == legal_id(other)) == (one == other)
    assert legal_id(made) == made


def test_case_45_blank_text_and_empty_messages_are_not_sent() -> None:
    history = (
        UserMessage((TextContent(" "), TextContent("Hi."))),
        AssistantMessage((TextContent("\n"),)),
        AssistantMessage((ReasoningContent("x", signature="s"),), provider="anthropic", model="claude"),
        UserMessage("Well?"),
    )
    messages = body_of(ModelRequest("", history), OWN)["messages"]
    assert [[block["text"] for block in message["content"]] for message in messages] == [["Hi.", "Well?"]]


def test_a_model_that_cannot_see_gets_one_word_per_run_of_images() -> None:
    blind = AnthropicDialect(has_images=False)
    content = wire_of(UserMessage((CAT, CAT, TextContent("x"), CAT)), blind)["content"]
    assert ["image" in block["text"] for block in content] == [True, False, True]


def test_max_tokens_is_always_sent_and_the_rest_only_when_set() -> None:
    body = body_of(ModelRequest("", (UserMessage("Hi."),)))
    assert body.keys() == {"model", "max_tokens", "messages"}
    assert body["max_tokens"] > 0
    body = body_of(ModelRequest("S", (UserMessage("Hi."),), sampling=Sampling(0.2, 0.9, 50, 7)))
    assert (body["temperature"], body["top_p"], body["max_tokens"]) == (0.2, 0.9, 50)
    assert "seed" not in body


def test_cache_marks_stand_behind_tools_system_and_the_last_message() -> None:
    tools = (ToolSpec("a", "A.", {"type": "object"}), ToolSpec("b", "B.", {"type": "object"}))
    history = (UserMessage("One."), AssistantMessage((TextContent("Two."),)), UserMessage("Three."))
    body = body_of(ModelRequest("S", history, tools=tools), AnthropicDialect())
    assert body["system"] == [{"type": "text", "text": "S", "cache_control": MARK}]
    assert [tool.get("cache_control") for tool in body["tools"]] == [None, MARK]
    marks = [block.get("cache_control") for message in body["messages"] for block in message["content"]]
    assert marks == [None, None, MARK]
    assert "cache_control" not in json.dumps(body_of(ModelRequest("S", history, tools=tools)))


def test_the_prefix_stays_the_same_but_for_the_mark() -> None:
    history = (UserMessage("One."), AssistantMessage((TextContent("Two."),)))
    short = body_of(ModelRequest("S", history))
    longer = body_of(ModelRequest("S", (*history, UserMessage("Three."))))
    assert longer["messages"][: len(short["messages"])] == short["messages"]


def test_a_closed_schema_is_asked_for_natively_and_another_in_words() -> None:
    closed = {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}
    body = body_of(ModelRequest("S", (UserMessage("Hi."),), response_schema=closed))
    assert body["output_config"]["format"] == {"type": "json_schema", "schema": closed}
    body = body_of(ModelRequest("S", (UserMessage("Hi."),), response_schema={"type": "object"}))
    assert "output_config" not in body
    assert "JSON Schema" in body["system"][0]["text"]


def test_a_refusal_names_its_reason() -> None:
    reply = parse_response(
        {
            "type": "message",
            "content": [],
            "stop_reason": "refusal",
            "stop_details": {"category": "bio", "explanation": None},
        }
    )
    assert (reply.stop_reason, reply.error_message) == ("refusal", "bio")


def stream(*events: dict[str, Any]) -> AssistantMessage:
    reader = anthropic_stream()
    for event in events:
        reader.feed(f"event: {event['type']}\ndata: ".encode() + encode(event) + b"\n\n")
    return reader.end()


START = {
    "type": "message_start",
    "message": {"id": "m", "content": [], "usage": {"input_tokens": 5, "output_tokens": 1}},
}
STOP = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}
END = {"type": "message_stop"}


def block(index: int | None, content: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    at = {} if index is None else {"index": index}
    begin = {"type": "content_block_start", **at, "content_block": content}
    return [begin, *({"type": "content_block_delta", **at, "delta": delta} for delta in deltas)]


def test_p002_a_stream_without_block_indexes_is_read() -> None:
    use = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
    reply = stream(
        START,
        *block(None, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Hi."}),
        *block(
            None,
            use,
            {"type": "input_json_delta", "partial_json": '{"a":'},
            {"type": "input_json_delta", "partial_json": "1}"},
        ),
        STOP,
        END,
    )
    assert (reply.text, reply.tool_calls[0].arguments) == ("Hi.", {"a": 1})
    assert reply.stop_reason == "tool_calls"


def test_a_call_whose_input_comes_with_its_start_is_read() -> None:
    reply = stream(START, *block(0, {"type": "tool_use", "id": "t1", "name": "look", "input": {"a": 1}}), STOP, END)
    assert reply.tool_calls[0].arguments == {"a": 1}


def test_usage_is_the_last_word_and_not_a_sum() -> None:
    reply = stream(START, *block(0, {"type": "text", "text": "Hi."}), STOP, END)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (5, 9)


@pytest.mark.parametrize("kind", ["overloaded_error", "api_error", "rate_limit_error"])
def test_an_error_event_is_a_failure_that_may_pass(kind: str) -> None:
    reply = stream(START, {"type": "error", "error": {"type": kind, "message": "Overloaded"}})
    assert (reply.stop_reason, reply.error_message, reply.can_retry) == ("error", "Overloaded", True)


def test_deltas_without_a_start_are_not_lost() -> None:
    reply = stream(
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Hi."}},
        STOP,
        END,
    )
    assert reply.text == "Hi."
    assert (reply.reasoning[0].text, reply.reasoning[0].signature) == ("hm", "s")
