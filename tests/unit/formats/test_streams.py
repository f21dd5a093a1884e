"""Streamed replies: every way of cutting the bytes gives the same message, and nothing makes the readers raise."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.wires import WIRES, Said

from seatrial.core.messages import AssistantMessage
from seatrial.core.model import ModelNotice, ReasoningDelta, TextDelta
from seatrial.formats.anthropic_stream import anthropic_stream
from seatrial.formats.ollama_chat import ollama_stream
from seatrial.formats.openai_chat_stream import chat_stream
from seatrial.formats.openai_responses_stream import responses_stream
from seatrial.formats.reading import Reading
from seatrial.formats.tolerant import parse_response
from seatrial.formats.wire_json import encode

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
OFFERED = Reading(tool_names=("look", "get_weather"))
STREAMS: dict[str, Callable[..., Any]] = {
    "openai": chat_stream,
    "openai-responses": responses_stream,
    "anthropic": anthropic_stream,
    "ollama": ollama_stream,
}
FULL = Said(
    "Grüße aus 東京 😀\nund mehr.",
    calls=(("c1", "get_weather", '{"city": "東京"}'), ("c2", "look", "{}")),
    thought="Erst nachdenken… 🤔",
)


def read(open_stream: Callable[..., Any], pieces: list[bytes]) -> tuple[AssistantMessage, list[ModelNotice]]:
    notices: list[ModelNotice] = []
    stream = open_stream(OFFERED, notices.append)
    for piece in pieces:
        stream.feed(piece)
    message = stream.end()
    return msgspec.structs.replace(message, timestamp=EPOCH), notices


def cut(data: bytes, places: list[int]) -> list[bytes]:
    cuts = sorted({place % (len(data) + 1) for place in places})
    return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


@pytest.fixture(params=STREAMS)
def wire(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


def test_p002_every_cut_in_two_gives_the_same_message_and_the_same_notices(wire: str) -> None:
    data = b"".join(WIRES[wire].events(FULL))
    whole = read(STREAMS[wire], [data])
    assert whole[0].text == FULL.text
    assert [call.name for call in whole[0].tool_calls] == ["get_weather", "look"]
    for place in range(len(data)):
        assert read(STREAMS[wire], [data[:place], data[place:]]) == whole


def test_p002_byte_by_byte_and_with_other_line_ends(wire: str) -> None:
    data = b"".join(WIRES[wire].events(FULL))
    whole = read(STREAMS[wire], [data])
    assert read(STREAMS[wire], [data[at : at + 1] for at in range(len(data))]) == whole
    if wire != "ollama":
        for line_end in (b"\r\n", b"\r"):
            other = b"\xef\xbb\xbf: hello\n\n".replace(b"\n", line_end) + data.replace(b"\n", line_end)
            assert read(STREAMS[wire], [other]) == whole
            assert read(STREAMS[wire], [other[at : at + 1] for at in range(len(other))]) == whole


@given(places=st.lists(st.integers(0, 10_000), max_size=12))
def test_p002_no_cut_changes_the_message(places: list[int]) -> None:
    for wire, open_stream in STREAMS.items():
        data = b"".join(WIRES[wire].events(FULL))
        assert read(open_stream, cut(data, places)) == read(open_stream, [data])


def test_what_is_told_is_what_is_in_the_message(wire: str) -> None:
    message, notices = read(STREAMS[wire], WIRES[wire].events(FULL))
    assert "".join(notice.text for notice in notices if isinstance(notice, TextDelta)) == message.text
    thoughts = "".join(notice.text for notice in notices if isinstance(notice, ReasoningDelta))
    assert thoughts == "".join(block.text for block in message.reasoning)


def test_p001_a_stream_cut_anywhere_is_never_a_whole_answer(wire: str) -> None:
    events = WIRES[wire].events(Said("Once upon a time."))
    for kept in range(1, len(events) + 1):
        message, _ = read(STREAMS[wire], events[:kept])
        has_end = any(mark in b"".join(events[:kept]) for mark in (b'_reason": "', b"completed", b'"done": true'))
        assert (message.stop_reason == "stop") == has_end
        if message.stop_reason == "stop":
            assert message.text == "Once upon a time."
        else:
            assert message.error_message


def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    return b"data: " + encode({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})


@pytest.mark.parametrize("done", [b"data: [DONE]\n\n", b"data:[DONE]\n\n", b"data: [done]\n\n", b"data: [DONE]", b""])
def test_case_61_done_is_known_in_its_variants_and_may_be_missing(done: bytes) -> None:
    message, _ = read(chat_stream, [chunk({"content": "Hi."}), b"\n\n", chunk({}, "stop"), b"\n\n", done])
    assert (message.text, message.stop_reason) == ("Hi.", "stop")


def test_done_without_a_finish_reason_is_an_end() -> None:
    message, _ = read(chat_stream, [chunk({"content": "Hi."}), b"\n\ndata: [DONE]\n\n"])
    assert message.stop_reason == "stop"


def test_lines_of_data_without_blank_lines_between_them_are_read_one_by_one() -> None:
    lines = [chunk({"content": "H"}), chunk({"content": "i."}), chunk({}, "stop"), b"data: [DONE]"]
    message, _ = read(chat_stream, [b"\n".join(lines) + b"\n"])
    assert (message.text, message.stop_reason) == ("Hi.", "stop")


def test_case_63_an_error_in_the_middle_keeps_the_half_answer_and_the_words() -> None:
    error = b'data: {"error": {"code": 429, "message": "slow down"}}\n\n'
    message, _ = read(chat_stream, [chunk({"content": "Half"}), b"\n\n", error, b"data: [DONE]\n\n"])
    assert (message.stop_reason, message.text, message.error_message) == ("error", "Half", "slow down")


@pytest.mark.parametrize(
    "noise", [b"data: keep-alive\n\n", b"data: \n\n", b"event: ping\n\n", b"data: [HEARTBEAT]\n\n"]
)
def test_noise_between_events_is_passed_over(noise: bytes) -> None:
    message, _ = read(chat_stream, [chunk({"content": "Hi."}), b"\n\n", noise, chunk({}, "stop"), b"\n\n"])
    assert (message.text, message.stop_reason) == ("Hi.", "stop")


def test_an_event_that_cannot_be_read_is_not_passed_over() -> None:
    message, _ = read(chat_stream, [chunk({"content": "Hi."}), b'\n\ndata: {"choices": [{"del\n\n', chunk({}, "stop")])
    assert message.stop_reason == "error"


def test_a_server_that_answers_a_stream_with_a_whole_body_is_understood() -> None:
    body = encode(WIRES["openai"].whole(Said("Hi there.")))
    message, notices = read(chat_stream, [body[:7], body[7:]])
    assert (message.text, message.stop_reason) == ("Hi there.", "stop")
    assert "".join(notice.text for notice in notices if isinstance(notice, TextDelta)) == "Hi there."


def test_of_several_choices_the_first_is_read() -> None:
    both = {"choices": [{"index": 1, "delta": {"content": "b"}}, {"index": 0, "delta": {"content": "a"}}]}
    end = {"choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]}
    message, _ = read(chat_stream, [b"data: " + encode(both) + b"\n\ndata: " + encode(end) + b"\n\n"])
    assert message.text == "b"


def test_case_65_a_first_chunk_without_choices_is_passed_over() -> None:
    first = {"choices": [], "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]}
    message, _ = read(chat_stream, [b"data: " + encode(first) + b"\n\n", chunk({"content": "Hi."}, "stop"), b"\n\n"])
    assert (message.text, message.stop_reason) == ("Hi.", "stop")


def test_case_67_usage_may_stand_in_the_choice() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2}
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop", "usage": usage}]}
    message, _ = read(chat_stream, [chunk({"content": "Hi."}), b"\n\ndata: " + encode(end) + b"\n\n"])
    assert (message.usage.input_tokens, message.usage.output_tokens) == (3, 2)


def test_case_69_text_after_calls_is_kept_in_its_place() -> None:
    call = {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "look", "arguments": "{}"}}]}
    pieces = [chunk({"content": "One."}), chunk(call), chunk({"content": "Two."}), chunk({}, "tool_calls")]
    message, _ = read(chat_stream, [b"\n\n".join(pieces) + b"\n\n"])
    assert [type(block).__name__ for block in message.content] == ["TextContent", "ToolCall", "TextContent"]


def test_case_128_azure_names_the_category_of_its_filter() -> None:
    results = {"hate": {"filtered": False}, "violence": {"filtered": True, "severity": "high"}}
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "content_filter", "content_filter_results": results}]}
    message, _ = read(chat_stream, [b"data: " + encode(end) + b"\n\n"])
    assert message.stop_reason == "content_filter"
    assert "violence" in (message.error_message or "")


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="<>[]{}`\0"), max_size=30)
ARGUMENTS = st.dictionaries(
    WORDS, WORDS | st.integers(-(2**40), 2**40) | st.none() | st.lists(WORDS, max_size=2), max_size=3
)
CALLED = st.lists(st.tuples(st.sampled_from(["look", "get_weather"]), ARGUMENTS), max_size=3)


@given(WORDS, WORDS.map(str.strip), CALLED, st.lists(st.integers(0, 10_000), max_size=6))
def test_p001_everything_that_was_said_is_in_the_message(
    text: str, thought: str, called: list[tuple[str, Any]], places: list[int]
) -> None:
    calls = tuple((f"c{number}", name, json.dumps(arguments)) for number, (name, arguments) in enumerate(called))
    said = Said(text, calls=calls, thought=thought)
    for wire, open_stream in STREAMS.items():
        whole = parse_response(WIRES[wire].whole(said), OFFERED)
        streamed, _ = read(open_stream, cut(b"".join(WIRES[wire].events(said)), places))
        for message in (whole, streamed):
            assert message.text == text
            assert "".join(block.text for block in message.reasoning) == thought
            assert [(call.name, call.arguments) for call in message.tool_calls] == called


FRAGMENTS = st.sampled_from(
    [
        *(event for wire in STREAMS for event in WIRES[wire].events(FULL)),
        *(b"data: ", b"\n\n", b"\r\n", b"[DONE]", b"{", b'"}', b": x\n", b"\xff", b"null", b'{"choices": [{}]}'),
        b'data: {"choices": [{"delta": {"content": "<think>"}}]}\n\n',
        b'data: {"choices": [{"delta": {"content": "</think>"}}]}\n\n',
        b'data: {"choices": [{"delta": {"content": "\\ud83d"}}]}\n\n',
        b'data: {"choices": [{"delta": {"content": "<tool_call>"}}]}\n\n',
        b'data: {"choices": [{"delta": {"tool_calls": [{"function": {"arguments": "{"}}]}}]}\n\n',
    ]
)


@settings(max_examples=700)
@given(st.lists(FRAGMENTS | st.binary(max_size=8), max_size=14), st.lists(st.integers(0, 10_000), max_size=5))
def test_no_bytes_make_a_stream_raise_and_no_cut_changes_it(pieces: list[bytes], places: list[int]) -> None:
    data = b"".join(pieces)
    for open_stream in STREAMS.values():
        message, _ = read(open_stream, [data])
        ids = [call.id for call in message.tool_calls]
        assert len(ids) == len(set(ids))
        assert read(open_stream, cut(data, places))[0] == message
        message.text.encode()
