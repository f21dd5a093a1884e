"""What is told of a reply while it comes is what its message holds in the end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent
from seatrial.core.events import AgentEvent, MessageTextDelta, MessageTextWasReasoning
from seatrial.core.messages import AssistantMessage
from seatrial.core.model import (
    ModelNotice,
    ModelRequest,
    NoticeSink,
    ReasoningDelta,
    TextDelta,
    TextWasReasoning,
    ToolCallDelta,
)
from seatrial.formats.openai_chat_stream import chat_stream
from seatrial.formats.openai_responses_stream import responses_stream
from seatrial.formats.reading import Reading
from seatrial.formats.tolerant import parse_response
from seatrial.providers.scripted import ScriptedModel, says

OFFERED = Reading(tool_names=("get",), seed="s")
READINGS = [
    OFFERED,
    Reading(seed="s"),
    Reading(tool_names=("get",), seed="s", has_think_tags=False),
    Reading(tool_names=("get",), seed="s", has_text_calls=False, begins_with_thoughts=True),
]
TEXTS = [
    *(
        "<think>",
        "</think>",
        "<thinking>",
        "</THINK>",
        "</",
        "<",
        "think>",
        "`",
        "```",
        "\n",
        " ",
        "\t",
        "a",
        "b c",
        ".",
    ),
    *(
        "<tool_call>",
        "</tool_call>",
        "<function=get>",
        "<function=",
        "</function>",
        "[TOOL_CALLS]",
        "[",
        "get",
        "{}",
        "{",
    ),
    *(
        '{"name":"get","arguments":{}}',
        '"name":"get"',
        "<|python_tag|>",
        "<|tool_calls_section_begin|>",
        "}",
        "```json\n",
    ),
    *(
        '<tool_call>{"name":"get","arguments":{}}</tool_call>',
        "\ud83d",
        "\ude00",
        "😀",
        "\r\n",
        "</tool",
        "_call>",
        "\0",
    ),
]
DELTAS = st.one_of(
    st.sampled_from(TEXTS).map(lambda text: {"content": text}),
    st.lists(st.sampled_from(TEXTS), max_size=3).map(lambda texts: {"content": "".join(texts)}),
    st.sampled_from([{"reasoning": "r"}, {"reasoning_content": "q"}, {"content": "a", "reasoning": "r"}]),
    st.sampled_from(
        [
            {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "get", "arguments": '{"a":'}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]},
        ]
    ),
)


def event(data: dict[str, Any]) -> bytes:
    return b"data: " + encode_as_is(data) + b"\n\n"


def encode_as_is(data: dict[str, Any]) -> bytes:
    """JSON with halves of surrogate pairs in it, as servers send them."""
    return json.dumps(data).encode()


def chat(deltas: list[dict[str, Any]], reading: Reading = OFFERED) -> tuple[AssistantMessage, list[ModelNotice]]:
    notices: list[ModelNotice] = []
    stream = chat_stream(reading, notices.append)
    for delta in deltas:
        stream.feed(event({"choices": [{"index": 0, "delta": delta}]}))
    stream.feed(event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
    return stream.end(), notices


def told_text(notices: list[ModelNotice]) -> str:
    told = ""
    for notice in notices:
        if isinstance(notice, TextWasReasoning):
            told = ""
        elif isinstance(notice, TextDelta):
            told += notice.text
    return told


@settings(max_examples=1500)
@given(st.lists(DELTAS, max_size=10), st.sampled_from(READINGS))
def test_p002_the_text_told_is_the_text_of_the_message(deltas: list[dict[str, Any]], reading: Reading) -> None:
    message, notices = chat(deltas, reading)
    assert told_text(notices) == message.text


@settings(max_examples=500)
@given(st.lists(st.sampled_from(TEXTS), max_size=10).map("".join), st.lists(st.integers(0, 99), max_size=6))
def test_p002_a_text_is_told_and_read_the_same_however_it_is_cut(text: str, places: list[int]) -> None:
    cuts = sorted({place % (len(text) + 1) for place in places})
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    message, notices = chat([{"content": piece} for piece in pieces])
    whole = parse_response({"choices": [{"message": {"content": text}, "finish_reason": "stop"}]}, OFFERED)
    assert told_text(notices) == message.text
    assert [(block.text if hasattr(block, "text") else block) for block in message.content] == [
        (block.text if hasattr(block, "text") else block) for block in whole.content
    ]


def test_text_that_was_reasoning_is_taken_back_by_a_notice() -> None:
    message, notices = chat([{"content": "a\n"}, {"content": "</think>\nb"}])
    assert notices == [TextDelta("a\n"), TextWasReasoning(), TextDelta("b")]
    assert (message.reasoning[0].text, message.text) == ("a\n", "b")


def test_nothing_is_taken_back_where_nothing_was_told() -> None:
    assert chat([{"content": "</think>"}, {"content": "b"}])[1] == [TextDelta("b")]


@pytest.mark.parametrize(
    "text", ['\n<function="name":"get""', '\n <tool_call>{"name":"get","arguments":{}}</tool_call>\n']
)
def test_blanks_around_a_call_are_not_told(text: str) -> None:
    message, notices = chat([{"content": piece} for piece in text])
    assert message.tool_calls
    assert notices == []
    assert message.text == ""


def test_what_may_be_a_tag_stands_before_the_call_that_follows_it() -> None:
    call = {"id": "c1", "function": {"name": "get", "arguments": "{}"}}
    streamed, _ = chat([{"content": "a <"}, {"tool_calls": [{"index": 0, **call}]}])
    whole = parse_response({"choices": [{"message": {"content": "a <", "tool_calls": [call]}}]}, OFFERED)
    for message in (streamed, whole):
        assert [type(block).__name__ for block in message.content] == ["TextContent", "ToolCall"]
        assert message.text == "a <"


async def test_a_run_tells_that_text_was_reasoning_and_keeps_it_as_that() -> None:
    events: list[AgentEvent] = []

    class Thinker(ScriptedModel):
        async def respond(
            self, request: ModelRequest, *, on_notice: NoticeSink | None = None, signal: AbortSignal | None = None
        ) -> AssistantMessage:
            assert on_notice is not None
            for notice in (TextDelta("hm\n"), TextWasReasoning(), TextDelta("Yes.")):
                on_notice(notice)
            return await super().respond(request, signal=signal)

    await Agent(Thinker([says("Yes.")])).run("Hi", sink=events.append)
    told = [event for event in events if isinstance(event, MessageTextDelta | MessageTextWasReasoning)]
    assert told == [MessageTextDelta("hm\n"), MessageTextWasReasoning(), MessageTextDelta("Yes.")]


MESSAGES = st.lists(st.sampled_from(TEXTS), max_size=5).map("".join)


def message_item(text: str, number: int) -> dict[str, Any]:
    return {"type": "message", "id": f"m{number}", "content": [{"type": "output_text", "text": text}]}


def call_item(number: int) -> dict[str, Any]:
    return {"type": "function_call", "id": f"f{number}", "call_id": f"c{number}", "name": "get", "arguments": '{"a":1}'}


def thought_item(number: int, *, is_sealed: bool) -> dict[str, Any]:
    sealed = {"encrypted_content": "x"} if is_sealed else {}
    return {"type": "reasoning", "id": f"r{number}", "summary": [{"type": "summary_text", "text": "hm"}], **sealed}


@st.composite
def responses(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[bytes]]:
    """The items of a whole response, and a stream in which each item came in pieces, whole, in part or not at all."""
    output: list[dict[str, Any]] = []
    events: list[bytes] = []
    has_places = draw(st.booleans())
    for number in range(draw(st.integers(0, 4))):
        place = {"output_index": number} if has_places else {}
        match draw(st.sampled_from(["message", "call", "thought"])):
            case "message":
                text = draw(MESSAGES)
                output.append(message_item(text, number))
                end = draw(st.integers(0, len(text)))
                for piece in [text[:end], *([text[end:]] if draw(st.booleans()) else [])]:
                    labels = {"item_id": f"m{number}", **place}
                    events.append(event({"type": "response.output_text.delta", "delta": piece, **labels}))
            case "call":
                output.append(call_item(number))
                begun = {**call_item(number), "arguments": ""}
                events.append(event({"type": "response.output_item.added", "item": begun, **place}))
                labels = {"item_id": f"f{number}", **place}
                events.append(event({"type": "response.function_call_arguments.delta", "delta": '{"a":', **labels}))
            case _:
                output.append(thought_item(number, is_sealed=draw(st.booleans())))
                labels = {"item_id": f"r{number}", **place}
                events.append(event({"type": "response.reasoning_summary_text.delta", "delta": "h", **labels}))
        if draw(st.booleans()):
            events.append(event({"type": "response.output_item.done", "item": output[-1], **place}))
        if draw(st.integers(0, 4)) == 0:
            events = [one for one in events if f'"{output[-1]["id"]}"'.encode() not in one]
    return output, events


@settings(max_examples=1000)
@given(responses(), st.sampled_from([Reading(has_think_tags=False), *READINGS]))
def test_p002_a_response_read_from_its_stream_is_what_it_is_whole(
    made: tuple[list[dict[str, Any]], list[bytes]], reading: Reading
) -> None:
    output, events = made
    whole, streamed, notices = both(output, events, reading)
    assert told_text(notices) == streamed.text
    if not reading.has_think_tags and not reading.tool_names:
        assert said(streamed) == said(whole)


def both(
    output: list[dict[str, Any]], events: list[bytes], reading: Reading = OFFERED
) -> tuple[AssistantMessage, AssistantMessage, list[ModelNotice]]:
    """The message of the whole response, that of its stream, and what was told of it."""
    response = {"status": "completed", "output": output}
    notices: list[ModelNotice] = []
    stream = responses_stream(reading, notices.append)
    for one in (*events, event({"type": "response.completed", "response": response})):
        stream.feed(one)
    return parse_response({"output": output, "status": "completed"}, reading), stream.end(), notices


def said(message: AssistantMessage) -> Any:
    """What is in the message. Text stays behind text that was told before it, so only its letters are compared."""
    calls = sorted((call.id, call.name, str(call.arguments)) for call in message.tool_calls)
    return sorted(message.text), [block.text for block in message.reasoning], calls


@pytest.mark.parametrize("text", ["\n", "<", "</", "<think><", "<think>a<", " ", "a", "<think>a</think>b"])
def test_a_response_that_says_its_text_again_at_its_end_is_not_doubled(text: str) -> None:
    delta = event({"type": "response.output_text.delta", "delta": text, "output_index": 0})
    done = event({"type": "response.output_item.done", "item": message_item(text, 0)})
    for events in ([delta], [delta, done], [done]):
        whole, streamed, notices = both([message_item(text, 0)], events)
        assert streamed.content == whole.content
        assert told_text(notices) == whole.text


@pytest.mark.parametrize(
    ("output", "streamed_items"),
    [
        ([call_item(0), message_item("hi", 1)], [0]),
        ([message_item("hi", 0), call_item(1)], [1]),
        ([thought_item(0, is_sealed=True), message_item("hi", 1)], [0]),
        ([thought_item(0, is_sealed=False), message_item("hi", 1)], [0]),
        ([message_item("<think>a</think>b", 0), thought_item(1, is_sealed=False), call_item(2)], [1, 2]),
        ([thought_item(0, is_sealed=False), message_item("<think>a</think>b", 1)], [0, 1]),
        ([thought_item(0, is_sealed=True), message_item("<think>a</think>b", 1)], [1]),
    ],
)
def test_what_comes_only_in_the_last_event_is_in_the_reply_in_its_place(
    output: list[dict[str, Any]], streamed_items: list[int]
) -> None:
    events = [
        event({"type": "response.output_item.done", "item": output[place], "output_index": place})
        for place in streamed_items
    ]
    whole, streamed, _ = both(output, events)
    assert streamed.content == whole.content


def test_a_text_that_is_longer_at_the_end_than_its_deltas_is_whole() -> None:
    delta = event({"type": "response.output_text.delta", "delta": "Hel", "item_id": "m0"})
    whole, streamed, notices = both([message_item("Hello.", 0), call_item(1)], [delta])
    assert streamed.content == whole.content
    assert [notice.text for notice in notices if isinstance(notice, TextDelta)] == ["Hel", "lo."]


def test_thoughts_that_are_longer_at_the_end_than_their_deltas_are_whole() -> None:
    delta = event({"type": "response.output_text.delta", "delta": "<think>a<", "output_index": 0})
    whole, streamed, _ = both([message_item("<think>a</think>b", 0), call_item(1)], [delta])
    assert streamed.content == whole.content


def test_a_call_that_comes_whole_is_told_with_its_name_and_its_arguments() -> None:
    done = event({"type": "response.output_item.done", "item": call_item(0), "output_index": 0})
    _, _, notices = both([call_item(0)], [done])
    assert notices == [ToolCallDelta(0, "get", '{"a":1}')]


def test_arguments_that_go_on_in_the_whole_item_are_told() -> None:
    begun = {**call_item(0), "arguments": ""}
    events = [
        event({"type": "response.output_item.added", "item": begun, "output_index": 0}),
        event({"type": "response.function_call_arguments.delta", "delta": '{"a"', "output_index": 0}),
    ]
    _, streamed, notices = both([call_item(0)], events)
    assert "".join(notice.arguments_text for notice in notices if isinstance(notice, ToolCallDelta)) == '{"a":1}'
    assert streamed.tool_calls[0].arguments == {"a": 1}


def test_reasoning_is_told_whole_where_it_is_longer_at_the_end() -> None:
    delta = event({"type": "response.reasoning_summary_text.delta", "delta": "h", "output_index": 0})
    whole, streamed, notices = both([thought_item(0, is_sealed=True), message_item("a", 1)], [delta])
    assert [notice.text for notice in notices if isinstance(notice, ReasoningDelta)] == ["h", "m"]
    assert streamed.content == whole.content
