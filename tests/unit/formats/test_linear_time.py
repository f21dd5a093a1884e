"""The time to read a reply grows with its length and no faster, whatever stands in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.growth import grows_linearly

from seatrial.core.content import ToolCall
from seatrial.core.history import repair_history
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage
from seatrial.core.model import ModelNotice
from seatrial.formats.anthropic_stream import anthropic_stream
from seatrial.formats.openai_chat_stream import chat_stream
from seatrial.formats.openai_responses_stream import responses_stream
from seatrial.formats.reading import Reading
from seatrial.formats.tolerant import parse_response
from seatrial.formats.wire_json import encode

READING = Reading(tool_names=("get",), seed="s")
CHARS = 12_000
PIECES = 600

UNITS = [
    *("<function=", "<function=get>", "<function=get>{}</function>", "<function=x></function>", "</function>"),
    *(
        "<tool_call>",
        '<tool_call>{"name":"get","arguments":{}}</tool_call>',
        "<tool_call>x</tool_call>",
        "<tool_call>{",
    ),
    *("[TOOL_CALLS]", "[TOOL_CALLS]get{", "[TOOL_CALLS]get{}", "[TOOL_CALLS]a ", "<|python_tag|>", "<|python_tag|>{"),
    *("<function_calls>", '<invoke name="', '<invoke name="a">', "<parameter=", "<parameter=a>", '<parameter name="'),
    *("<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<|tool_call_begin|>a:1", "<|tool_call_end|>"),
    *("<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁begin｜>get<｜tool▁sep｜>{}<｜tool▁call▁end｜>"),
    *("<arg_key>", "<arg_key>a</arg_key>", "<arg_key>a</arg_key><arg_value>"),
    *("</think>", "<think>a</think>", "\n</think>\n", "<think>", "<thin", " ", "\n", "`", "```", "```json ", "a", "a "),
    *('"name":', '"name":"', '"name":"get"', "{", "[", "\\", '"', ";\n{", "\n ;{}", "{'a':", "{}"),
]
FRAMES = [
    ("", ""),
    ("<tool_call>", "</tool_call>"),
    ("<tool_call>get", "</tool_call>"),
    ("<function=get>", "</function>"),
    ("<function_calls>", "</function_calls>"),
    ("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
    ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
    ("[TOOL_CALLS]get[ARGS]", ""),
    ("<|python_tag|>{", ""),
    ("<think>", ""),
    ("```json\n", "```"),
]


@pytest.mark.parametrize("frame", FRAMES, ids=["".join(frame) or "alone" for frame in FRAMES])
def test_p001_no_text_of_a_whole_reply_takes_more_than_linear_time(frame: tuple[str, str]) -> None:
    def reading(unit: str) -> Callable[[int], Callable[[], Any]]:
        def of_size(chars: int) -> Callable[[], Any]:
            text = frame[0] + unit * (chars // len(unit)) + frame[1]
            reply = {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
            return lambda: parse_response(reply, READING)

        return of_size

    assert [unit for unit in UNITS if not grows_linearly(reading(unit), CHARS)] == []


@pytest.mark.parametrize("begin", ["", "a ", "<tool_call>", "[TOOL_CALLS]", "<think>"])
def test_p002_no_text_of_a_stream_takes_more_than_linear_time(begin: str) -> None:
    def reading(unit: str) -> Callable[[int], Callable[[], Any]]:
        return lambda pieces: lambda: read(chat_stream, [*map(content, (begin, *[unit] * pieces)), END])

    assert [unit for unit in UNITS if not grows_linearly(reading(unit), PIECES)] == []


def arguments_of_one_name(number: int) -> bytes:
    arguments = "{" if number % 2 else "{}"
    return delta(tool_calls=[{"index": 0, "function": {"name": "get", "arguments": arguments if number else '{"a":"'}}])


def content(text: str) -> bytes:
    return delta(content=text)


def delta(**fields: Any) -> bytes:
    return event({"choices": [{"index": 0, "delta": fields}]})


def event(data: dict[str, Any]) -> bytes:
    return b"data: " + encode(data) + b"\n\n"


def call(number: int, **labels: Any) -> bytes:
    return delta(tool_calls=[{**labels, "function": {"name": "get", "arguments": f'{{"a":{number}}}'}}])


END = event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
STREAMS: dict[str, tuple[Any, Callable[[int], bytes]]] = {
    "one id and one index": (chat_stream, lambda number: call(number, id="a", index=0)),
    "one id, an index each": (chat_stream, lambda number: call(number, id="a", index=number)),
    "an id each, one index": (chat_stream, lambda number: call(number, id=f"a{number}", index=0)),
    "an id and an index each": (chat_stream, lambda number: call(number, id=f"a{number}", index=number)),
    "no labels": (chat_stream, call),
    "one name again and again": (chat_stream, arguments_of_one_name),
    "a call and its thoughts": (
        chat_stream,
        lambda number: delta(
            reasoning="a",
            reasoning_details=[{"a": "b" * 50}],
            content="b" if number % 3 else "",
            tool_calls=[{"id": f"a{number}", "function": {"name": "get"}, "extra_content": {"b": 1}}],
        ),
    ),
    "items of a response": (
        responses_stream,
        lambda number: event(
            {
                "type": "response.output_item.done",
                "output_index": number,
                "item": {"type": "function_call", "call_id": "a", "name": "get", "arguments": "{}"},
            }
        ),
    ),
    "messages without labels": (
        responses_stream,
        lambda number: event({"type": "response.output_text.delta", "delta": "\n" * (number % 3)}),
    ),
    "blocks of a message": (
        anthropic_stream,
        lambda number: event(
            {
                "type": "content_block_start",
                "index": number,
                "content_block": {"type": "tool_use", "id": "a", "name": "get", "input": {}},
            }
        ),
    ),
}


def read(open_stream: Any, chunks: list[bytes]) -> AssistantMessage:
    notices: list[ModelNotice] = []
    stream = open_stream(READING, notices.append)
    for chunk in chunks:
        stream.feed(chunk)
    message = stream.end()
    assert isinstance(message, AssistantMessage)
    return message


@pytest.mark.parametrize("kind", STREAMS)
def test_p002_many_calls_in_a_stream_take_linear_time(kind: str) -> None:
    open_stream, chunk_of = STREAMS[kind]

    def reading(pieces: int) -> Callable[[], Any]:
        chunks = list(map(chunk_of, range(pieces)))
        return lambda: read(open_stream, chunks)

    assert grows_linearly(reading, PIECES)


def test_p002_a_response_whose_items_come_at_its_end_takes_linear_time() -> None:
    def reading(items: int) -> Callable[[], Any]:
        output: list[dict[str, Any]] = []
        for number in range(items):
            output.append({"type": "function_call", "call_id": f"c{number}", "name": "get", "arguments": "{}"})
            output.append({"type": "message", "content": [{"type": "output_text", "text": "a "}]})
        told = [
            event({"type": "response.output_item.done", "item": {**item, "id": f"i{place}"}, "output_index": place})
            for place, item in enumerate(output[::2])
        ]
        return lambda: read(
            responses_stream, [*told, event({"type": "response.completed", "response": {"output": output}})]
        )

    assert grows_linearly(reading, PIECES)


def one_message_each(number: int) -> list[Message]:
    return [AssistantMessage((ToolCall("a", "get"),)) for _ in range(number)]


def one_message(number: int) -> list[Message]:
    results = [ToolResultMessage("a", "get") for _ in range(number)]
    return [AssistantMessage(tuple(ToolCall("a", "get") for _ in range(number))), *results]


def without_ids(number: int) -> list[Message]:
    return [AssistantMessage(tuple(ToolCall(call_id, "get") for _ in range(number) for call_id in ("", "call", "a_1")))]


@pytest.mark.parametrize("history_of", [one_message_each, one_message, without_ids])
def test_p005_a_history_of_calls_under_one_id_is_repaired_in_linear_time(
    history_of: Callable[[int], list[Message]],
) -> None:
    def repairing(number: int) -> Callable[[], Any]:
        history = history_of(number)
        return lambda: repair_history(history)

    assert grows_linearly(repairing, 1000)
