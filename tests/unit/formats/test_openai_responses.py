from __future__ import annotations

import json
from typing import Any

import msgspec

from seatrial.core.content import FileContent, ImageContent, ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.model import ModelRequest, Sampling, ToolSpec
from seatrial.formats.encoded import EncodedMessages
from seatrial.formats.openai_responses import encode_responses_request, to_responses
from seatrial.formats.openai_responses_stream import responses_stream
from seatrial.formats.tolerant import parse_response
from seatrial.formats.wire_json import encode

CAT = ImageContent("aWNo", "image/png")
SEALED = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "hm"}],
    "encrypted_content": "x==",
}


def items_of(message: Message, reader: str = "") -> Any:
    return json.loads(msgspec.json.encode(to_responses(message, reader)))


def body_of(request: ModelRequest, *, has_sampling: bool = True) -> Any:
    encoded = EncodedMessages(lambda message: (to_responses(message), []))
    return json.loads(
        encode_responses_request(
            request, model="m", encoded=encoded, stream=True, has_sampling=has_sampling, extra={"truncation": "auto"}
        )
    )


def test_messages_become_items() -> None:
    user = UserMessage((TextContent("See:"), CAT, FileContent("cGRm", "application/pdf", "a.pdf")))
    assert [part["type"] for part in items_of(user)[0]["content"]] == ["input_text", "input_image", "input_file"]
    said = AssistantMessage((TextContent("I look."), ToolCall("c1", "look", {"a": 1})))
    assert items_of(said) == [
        {"type": "message", "role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"a":1}'},
    ]
    result = {"type": "function_call_output", "call_id": "c1"}
    assert items_of(ToolResultMessage("c1", "look", (TextContent("22C"),))) == [{**result, "output": "22C"}]
    assert items_of(ToolResultMessage("c1", "look")) == [{**result, "output": "(no output)"}]
    assert items_of(ToolResultMessage("c1", "look", (CAT,)))[0]["output"][0]["type"] == "input_image"
    assert items_of(AssistantMessage((ReasoningContent("hm"),))) == []


def test_p006_sealed_reasoning_goes_back_as_it_came_to_its_own_model() -> None:
    output = [SEALED, {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "look", "arguments": "{}"}]
    reply = parse_response({"output": output, "status": "completed", "provider": "openai", "model": "o9"})
    assert (reply.stop_reason, reply.reasoning[0].text) == ("tool_calls", "hm")
    assert items_of(reply, "openai/o9")[0] == SEALED
    assert [item["type"] for item in items_of(reply, "openai/o10")] == ["function_call"]


def test_nothing_is_stored_at_the_provider_and_settings_have_their_names() -> None:
    tools = (ToolSpec("look", "Looks.", {"type": "object"}),)
    request = ModelRequest("Be kind.", (UserMessage("Hi."),), tools, Sampling(0.1, 0.9, 50), {"type": "object"})
    body = body_of(request)
    assert (body["store"], body["instructions"], body["stream"]) == (False, "Be kind.", True)
    assert (body["temperature"], body["top_p"], body["max_output_tokens"]) == (0.1, 0.9, 50)
    assert body["tools"][0]["name"] == "look"
    assert body["text"]["format"]["type"] == "json_schema"
    assert body["truncation"] == "auto"
    assert "temperature" not in body_of(request, has_sampling=False)


def stream(*events: dict[str, Any]) -> AssistantMessage:
    reader = responses_stream()
    for event in events:
        reader.feed(f"event: {event['type']}\ndata: ".encode() + encode(event) + b"\n\n")
    return reader.end()


DONE = {"type": "response.completed", "response": {"id": "r", "status": "completed", "output": []}}


def test_the_whole_arguments_stand_above_the_pieces() -> None:
    item = {"id": "fc", "type": "function_call", "call_id": "c1", "name": "look", "arguments": ""}
    reply = stream(
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"a"'},
        {"type": "response.function_call_arguments.done", "output_index": 0, "arguments": '{"a": 1}'},
        {"type": "response.output_item.done", "output_index": 0, "item": {**item, "arguments": '{"a": 1}'}},
        DONE,
    )
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [("c1", "look", {"a": 1})]


def test_a_stream_of_done_items_alone_is_read() -> None:
    message = {"id": "m", "type": "message", "content": [{"type": "output_text", "text": "Hi."}]}
    reply = stream(
        {"type": "response.output_item.done", "output_index": 0, "item": SEALED},
        {"type": "response.output_item.done", "output_index": 1, "item": message},
        DONE,
    )
    assert (reply.text, reply.reasoning[0].text) == ("Hi.", "hm")
    assert json.loads(reply.reasoning[0].signature or "") == SEALED


def test_an_ending_that_holds_everything_is_read() -> None:
    message = {"id": "m", "type": "message", "content": [{"type": "output_text", "text": "Hi."}]}
    assert (
        stream({"type": "response.completed", "response": {"status": "completed", "output": [message]}}).text == "Hi."
    )


def test_a_failed_response_is_a_failure() -> None:
    failure = {"status": "failed", "error": {"code": "server_error", "message": "it broke"}}
    reply = stream({"type": "response.failed", "response": failure})
    assert (reply.stop_reason, reply.error_message, reply.can_retry) == ("error", "it broke", True)
    reply = stream({"type": "error", "code": "rate_limit_exceeded", "message": "slow down"})
    assert (reply.stop_reason, reply.error_message, reply.can_retry) == ("error", "slow down", True)


def test_a_filtered_response_keeps_its_reason() -> None:
    ending = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []}
    assert stream({"type": "response.incomplete", "response": ending}).stop_reason == "content_filter"


def test_a_stream_that_stops_before_its_ending_is_incomplete() -> None:
    reply = stream({"type": "response.output_text.delta", "output_index": 0, "delta": "Hel"})
    assert (reply.stop_reason, reply.text) == ("incomplete", "Hel")
