from __future__ import annotations

from typing import Any

import pytest

from seatrial.core.content import TextContent
from seatrial.core.model import ModelNotice, TextDelta
from seatrial.formats.openai_chat_stream import chat_stream
from seatrial.formats.reading import Reading
from seatrial.formats.tolerant import parse_response
from seatrial.formats.wire_json import encode

OFFERED = Reading(tool_names=("get_weather", "add"))
ROME = {"city": "Rome"}
CALL = '{"name": "get_weather", "arguments": {"city": "Rome"}}'

DIALECTS = {
    "hermes": f"<tool_call>{CALL}</tool_call>",
    "hermes over lines": f"<tool_call>\n{CALL}\n</tool_call>",
    "arguments as text": '<tool_call>{"name": "get_weather", "arguments": "{\\"city\\": \\"Rome\\"}"}</tool_call>',
    "parameters": '<tool_call>{"name": "get_weather", "parameters": {"city": "Rome"}}</tool_call>',
    "single quotes": "<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Rome'}}</tool_call>",
    "qwen coder": "<tool_call>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>\n"
    "</tool_call>",
    "function tag with parameters": "<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n</function>",
    "function tag with json": '<function=get_weather>{"city": "Rome"}</function>',
    "glm": "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Rome</arg_value>\n</tool_call>",
    "mistral list": '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Rome"}}]',
    "mistral named": '[TOOL_CALLS]get_weather[ARGS]{"city": "Rome"}',
    "mistral bare": '[TOOL_CALLS]get_weather{"city": "Rome"}',
    "llama": '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Rome"}}',
    "function_call": f"<function_call>{CALL}</function_call>",
    "kimi": "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    '{"city": "Rome"}<|tool_call_end|><|tool_calls_section_end|>',
    "deepseek": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
    '{"city": "Rome"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    "deepseek without a fence": '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Rome"}'
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "minimax": '<minimax:tool_call><invoke name="get_weather"><parameter name="city">Rome</parameter></invoke>'
    "</minimax:tool_call>",
    "invoke": '<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Rome</parameter>\n</invoke>\n'
    "</function_calls>",
    "bare": CALL,
    "bare in a fence": f"```json\n{CALL}\n```",
    "bare list": f"[{CALL}]",
    "bare in openai's shape": f'{{"type": "function", "function": {CALL}}}',
}


def reply(text: str, reading: Reading = OFFERED, **message: Any) -> Any:
    said = {"role": "assistant", "content": text, **message}
    return parse_response({"choices": [{"message": said, "finish_reason": "stop"}]}, reading)


@pytest.mark.parametrize("text", DIALECTS.values(), ids=DIALECTS.keys())
def test_p004_cases_32_34_a_call_in_the_text_is_a_call(text: str) -> None:
    message = reply(text)
    assert [(call.name, call.arguments, call.arguments_error) for call in message.tool_calls] == [
        ("get_weather", ROME, None)
    ]
    assert message.stop_reason == "tool_calls"
    assert message.text == ""


def test_case_32_text_outside_the_tags_is_kept() -> None:
    message = reply(f"Let me look.\n{DIALECTS['hermes']}\n")
    assert message.text == "Let me look.\n"
    assert len(message.tool_calls) == 1


def test_several_calls_keep_their_order_and_have_ids_of_their_own() -> None:
    other = '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'
    message = reply(f"{DIALECTS['hermes']}\n{other}\n{DIALECTS['hermes']}")
    assert [call.name for call in message.tool_calls] == ["get_weather", "add", "get_weather"]
    assert len({call.id for call in message.tool_calls}) == 3


@pytest.mark.parametrize(
    "text",
    [
        DIALECTS["hermes"].replace("get_weather", "get_moon"),
        CALL.replace("get_weather", "get_moon"),
        DIALECTS["mistral list"].replace("get_weather", "get_moon"),
        f"Write it as `{DIALECTS['hermes']}` please.",
        f"An example:\n```\n{DIALECTS['hermes']}\n```\nThat is how.",
        f"You could say {DIALECTS['hermes']} to the model.",
        "<tool_call>no json at all</tool_call>",
        '{"name": "get_weather"}',
        '{"name": "get_weather", "arguments": {}, "comment": "as data"}',
        f"{CALL} is what I would send.",
        '{"answer": 42}',
    ],
)
def test_p004_what_no_tool_confirms_stays_text(text: str) -> None:
    message = reply(text)
    assert message.text == text
    assert message.tool_calls == []
    assert message.stop_reason == "stop"


def test_p004_markup_that_stays_text_is_a_warning() -> None:
    assert "<tool_call>" in reply(DIALECTS["hermes"].replace("get_weather", "get_moon")).warnings[0]
    assert reply("Just text.").warnings == ()


def test_without_tools_on_offer_there_is_no_call() -> None:
    message = reply(CALL, Reading())
    assert (message.text, message.tool_calls) == (CALL, [])


def test_first_party_endpoints_are_not_searched() -> None:
    reading = Reading(tool_names=("get_weather",), has_text_calls=False)
    assert reply(DIALECTS["hermes"], reading).tool_calls == []


def test_case_36_structured_calls_stand_above_a_tag_in_the_text() -> None:
    structured = [{"id": "c1", "function": {"name": "add", "arguments": "{}"}}]
    message = reply(DIALECTS["hermes"], tool_calls=structured)
    assert [call.name for call in message.tool_calls] == ["add"]
    assert message.text == DIALECTS["hermes"]


@pytest.mark.parametrize("text", ['<tool_call>{"name": "get_weather", "arguments": {"city": "Ro', f"<tool_call>{CALL}"])
def test_case_37_an_unclosed_call_is_kept_as_cut(text: str) -> None:
    message = reply(text)
    assert [call.name for call in message.tool_calls] == ["get_weather"]
    assert "cut off" in (message.tool_calls[0].arguments_error or "")
    assert message.tool_calls[0].arguments == {}


def heard(pieces: list[str], reading: Reading = OFFERED) -> tuple[Any, str, list[str]]:
    """The message, all text that was told, and the single pieces of it."""
    notices: list[ModelNotice] = []
    stream = chat_stream(reading, notices.append)
    for piece in pieces:
        stream.feed(b"data: " + encode({"choices": [{"index": 0, "delta": {"content": piece}}]}) + b"\n\n")
    stream.feed(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    message = stream.end()
    told = [notice.text for notice in notices if isinstance(notice, TextDelta)]
    return message, "".join(told), told


@pytest.mark.parametrize("text", DIALECTS.values(), ids=DIALECTS.keys())
def test_p004_markup_of_a_call_is_never_told_as_text(text: str) -> None:
    message, told, _ = heard(list(text))
    assert len(message.tool_calls) == 1
    assert told == ""


@pytest.mark.parametrize(
    "text",
    ["1 < 2 [TOOL] <tool_box>", "[1] a source", "```python\nx\n```", '{"answer": 42}', "<tool_call>x</tool_call>"],
)
def test_text_that_only_looks_like_markup_is_told_whole(text: str) -> None:
    message, told, _ = heard(list(text))
    assert told == message.text == text


def test_plain_text_is_told_as_it_comes() -> None:
    _, _, told = heard(["Hello", " there", " my <b", ">friend"])
    assert told == ["Hello", " there", " my <b", ">friend"]


def test_half_a_surrogate_pair_waits_for_the_other_half() -> None:
    notices: list[ModelNotice] = []
    stream = chat_stream(Reading(), notices.append)
    for half in (b"\\ud83d", b"\\ude00 ok"):
        stream.feed(b'data: {"choices":[{"index":0,"delta":{"content":"' + half + b'"}}]}\n\n')
    stream.feed(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n')
    assert stream.end().content == (TextContent("😀 ok"),)
    assert notices == [TextDelta("😀 ok")]
