from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.core.content import FileContent, ImageContent, ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.model import ModelRequest, Sampling, ToolSpec
from seatrial.formats.encoded import EncodedMessages
from seatrial.formats.openai_chat import (
    OPENAI_CHAT,
    ChatDialect,
    from_openai,
    system_to_openai,
    to_openai,
    tool_to_openai,
)
from seatrial.formats.tolerant import parse_response
from seatrial.providers.compat import ANY_ENDPOINT, Compat, compat_of
from seatrial.providers.wire import chat_wire, fixed_headers

CAT = ImageContent("aWNo", "image/png")
FULL = Compat()
PLAIN = compat_of(ANY_ENDPOINT)
CALL = ToolCall("c1", "get_weather", {"city": "Rome"}, '{"city":  "Rome"}')


def wire_of(message: Message, dialect: ChatDialect = OPENAI_CHAT, reader: str = "") -> Any:
    return msgspec.json.decode(msgspec.json.encode(to_openai(message, dialect, reader)))


def body_of(request: ModelRequest, compat: Compat = FULL, *, stream: bool = False) -> Any:
    wire = chat_wire(url="", model="m", reader="p/m", sign=fixed_headers(compat), compat=compat)
    return json.loads(wire.encode(request, stream=stream))


def test_y011_system_prompt_is_one_text_block() -> None:
    assert system_to_openai("Be kind.") == {"role": "system", "content": [{"type": "text", "text": "Be kind."}]}


def test_y012_user_text_and_images_are_blocks() -> None:
    assert wire_of(UserMessage((TextContent("Look:"), CAT))) == {
        "role": "user",
        "content": [
            {"type": "text", "text": "Look:"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,aWNo"}},
        ],
    }
    assert wire_of(UserMessage("Hi.")) == {"role": "user", "content": [{"type": "text", "text": "Hi."}]}


def test_y013_calls_have_their_arguments_as_a_string_and_no_content() -> None:
    assert wire_of(AssistantMessage((CALL,))) == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city":  "Rome"}'}}
        ],
    }


def test_y013_text_that_came_with_the_calls_is_kept() -> None:
    wire = wire_of(AssistantMessage((TextContent("I look."), CALL)))
    assert wire["content"] == [{"type": "text", "text": "I look."}]


def test_y014_an_answer_is_content_blocks() -> None:
    assert wire_of(AssistantMessage((TextContent("Sunny."),))) == {
        "role": "assistant",
        "content": [{"type": "text", "text": "Sunny."}],
    }


def test_y015_a_result_is_content_blocks_under_its_call() -> None:
    assert wire_of(ToolResultMessage("c1", "get_weather", (TextContent("22C"),))) == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": [{"type": "text", "text": "22C"}],
    }


def test_y016_a_tool_is_a_function_with_its_schema() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    assert tool_to_openai(ToolSpec("get_weather", "The weather.", schema, examples=("rain?",))) == {
        "type": "function",
        "function": {"name": "get_weather", "description": "The weather.", "parameters": schema},
    }


NESTED = {
    "finish_reason": "tool_calls",
    "message": {
        "content": "",
        "reasoning_content": "I need the weather.",
        "tool_calls": [
            {"type": "function", "id": "c1", "function": {"name": "get_weather", "arguments": '{"city": "Rome"}'}}
        ],
    },
}


@pytest.mark.parametrize("obj", [NESTED, {"choices": [NESTED], "usage": None}], ids=["bare choice", "full response"])
def test_y017_the_nested_shape_is_read_whole_and_bare(obj: Any) -> None:
    message = from_openai(obj)
    assert message.stop_reason == "tool_calls"
    assert [(call.id, call.name, call.arguments) for call in message.tool_calls] == [
        ("c1", "get_weather", {"city": "Rome"})
    ]
    assert [block.text for block in message.reasoning] == ["I need the weather."]


BLOCKS = [
    {
        "type": "tool_calls",
        "tool_calls": [{"id": "c1", "function": {"name": "get_weather", "arguments": '{"city":"Rome"}'}}],
    },
    {
        "type": "tool_calls",
        "tool_calls": [{"id": "c1", "function": {"name": "get_weather", "arguments": {"city": "Rome"}}}],
    },
    {"type": "tool_call", "id": "c1", "name": "get_weather", "arguments": {"city": "Rome"}},
    {"type": "tool_call", "id": "c1", "name": "get_weather", "arguments": '{"city":"Rome"}'},
]


@pytest.mark.parametrize("block", BLOCKS)
def test_y018_blocks_of_calls_are_read_with_arguments_of_either_kind(block: Any) -> None:
    message = parse_response(
        {
            "content": [{"type": "text", "text": "I look."}, block],
            "api": "openai",
            "provider": "somebody",
            "model": "some-model",
            "usage": {"inputTokens": 7, "outputTokens": 2},
            "error_message": None,
        }
    )
    assert (message.text, message.stop_reason) == ("I look.", "tool_calls")
    assert [(call.id, call.name, call.arguments) for call in message.tool_calls] == [
        ("c1", "get_weather", {"city": "Rome"})
    ]
    assert (message.api, message.provider, message.model) == ("openai", "somebody", "some-model")
    assert (message.usage.input_tokens, message.usage.output_tokens) == (7, 2)


def test_y018_an_error_message_makes_the_reply_a_failure() -> None:
    message = parse_response({"content": [{"type": "text", "text": "half"}], "error_message": "out of memory"})
    assert (message.stop_reason, message.text, message.error_message) == ("error", "half", "out of memory")


def test_case_44_other_endpoints_get_system_and_assistant_text_as_plain_strings() -> None:
    history = (
        UserMessage("Hi."),
        AssistantMessage((TextContent("Hello."), TextContent(" You?"))),
        UserMessage("Fine."),
    )
    messages = body_of(ModelRequest("Be kind.", history), PLAIN)["messages"]
    assert [message["content"] for message in messages] == [
        "Be kind.",
        [{"type": "text", "text": "Hi."}],
        "Hello. You?",
        [{"type": "text", "text": "Fine."}],
    ]


def test_an_endpoint_that_takes_strings_only_gets_strings() -> None:
    result = ToolResultMessage("c1", "get_weather", (TextContent("22"), TextContent("C")))
    history = (UserMessage("Hi."), AssistantMessage((CALL,)), result)
    messages = body_of(ModelRequest("", history), compat_of({"blocks": "none"}))["messages"]
    assert [message["content"] for message in messages] == ["Hi.", None, "22C"]


def test_case_45_an_assistant_message_that_says_nothing_is_left_out() -> None:
    history = (UserMessage("Hi."), AssistantMessage((ReasoningContent("hm"),)), UserMessage("Well?"))
    assert [message["role"] for message in body_of(ModelRequest("", history))["messages"]] == ["user", "user"]


def test_case_50_an_empty_result_says_so() -> None:
    for content in ((), (TextContent(""),)):
        assert wire_of(ToolResultMessage("c1", "f", content))["content"] == [{"type": "text", "text": "(no output)"}]


def test_images_of_results_follow_the_whole_batch() -> None:
    history = (
        AssistantMessage((CALL, ToolCall("c2", "draw"))),
        ToolResultMessage("c1", "get_weather", (TextContent("a map:"), CAT)),
        ToolResultMessage("c2", "draw", (CAT,)),
        UserMessage("Nice."),
    )
    messages = body_of(ModelRequest("", history))["messages"]
    assert [message["role"] for message in messages] == ["assistant", "tool", "tool", "user", "user", "user"]
    told = "[image image/png, 3 bytes: shown in the next message]"
    assert messages[2]["content"] == [{"type": "text", "text": told}]
    assert [part["type"] for part in messages[3]["content"]] == ["text", "image_url"]


def test_an_endpoint_may_take_images_in_results() -> None:
    wire = wire_of(ToolResultMessage("c1", "draw", (CAT,)), ChatDialect(has_result_images=True))
    assert wire["content"][0]["type"] == "image_url"


def test_case_48_a_model_that_cannot_see_gets_one_word_per_run_of_images() -> None:
    blind = ChatDialect(has_images=False)
    wire = wire_of(UserMessage((TextContent("See:"), CAT, CAT, TextContent("and"), CAT)), blind)
    texts = [part["text"] for part in wire["content"]]
    assert [text if "image" not in text else "!" for text in texts] == ["See:", "!", "and", "!"]


def test_files_go_where_they_are_taken() -> None:
    message = UserMessage((FileContent("cGRm", "application/pdf", "a.pdf"),))
    assert wire_of(message)["content"][0]["file"]["file_data"] == "data:application/pdf;base64,cGRm"
    assert "a.pdf was left out" in wire_of(message, ChatDialect(has_files=False))["content"][0]["text"]


def test_case_12_a_call_that_could_not_be_read_goes_back_as_a_valid_object() -> None:
    broken = ToolCall("c1", "f", {}, '{"a": "' + "x" * 2_000_000, "cut off")
    wire = wire_of(AssistantMessage((broken,)))
    assert wire["tool_calls"][0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize("text", ["", "null", None, '"{\\"a\\":1}"'])
def test_arguments_are_always_an_object_on_the_wire(text: str | None) -> None:
    wire = wire_of(AssistantMessage((ToolCall("c1", "f", {"a": 1}, text),)))
    assert json.loads(wire["tool_calls"][0]["function"]["arguments"]) == {"a": 1}


def test_mended_arguments_go_back_mended() -> None:
    message = parse_response(
        {"choices": [{"message": {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{'a': 1,}"}}]}}]}
    )
    assert wire_of(message)["tool_calls"][0]["function"]["arguments"] == '{"a":1}'


def test_case_40_reasoning_goes_back_with_its_calls_under_its_own_name() -> None:
    thought = ReasoningContent("Look it up.", wire_field="reasoning_content")
    message = AssistantMessage((thought, CALL), provider="p", model="m")
    assert wire_of(message, reader="p/m")["reasoning_content"] == "Look it up."
    assert "reasoning_content" not in wire_of(message, reader="p/other")
    answer = AssistantMessage((thought, TextContent("Done.")), provider="p", model="m")
    assert "reasoning_content" not in wire_of(answer, reader="p/m")


def test_openrouter_details_go_back_unchanged() -> None:
    details = [
        {"type": "reasoning.encrypted", "data": "abc==", "index": 0},
        {"type": "reasoning.text", "signature": "s"},
    ]
    said = {
        "content": None,
        "reasoning": "hm",
        "reasoning_details": details,
        "tool_calls": [{"id": "c", "function": {"name": "f"}}],
    }
    message = parse_response({"choices": [{"message": said}], "provider": "p", "model": "m"})
    assert wire_of(message, reader="p/m")["reasoning_details"] == details


def test_gemini_signatures_go_back_with_their_calls() -> None:
    extra = {"google": {"thought_signature": "c2ln"}}
    items = [
        {"id": "a", "function": {"name": "f", "arguments": "{}"}, "extra_content": extra},
        {"id": "b", "function": {"name": "g", "arguments": "{}"}},
    ]
    message = parse_response({"choices": [{"message": {"tool_calls": items}}], "provider": "p", "model": "m"})
    sent = wire_of(message, reader="p/m")["tool_calls"]
    assert sent[0]["extra_content"] == extra
    assert "extra_content" not in sent[1]
    assert "extra_content" not in json.dumps(wire_of(message, reader="q/m"))


def test_what_is_not_set_is_not_sent() -> None:
    assert body_of(ModelRequest("", (UserMessage("Hi."),))).keys() == {"model", "messages"}


def test_settings_are_sent_under_the_names_that_the_endpoint_knows() -> None:
    request = ModelRequest("", (UserMessage("Hi."),), sampling=Sampling(0.0, 0.5, 100, 7))
    assert body_of(request, PLAIN) | {"messages": 0} == {
        "model": "m",
        "messages": 0,
        "temperature": 0.0,
        "top_p": 0.5,
        "max_tokens": 100,
        "seed": 7,
    }
    assert body_of(request)["max_completion_tokens"] == 100
    assert "temperature" not in body_of(request, compat_of({"has_sampling": False}))


def test_a_stream_asks_for_usage() -> None:
    body = body_of(ModelRequest("", ()), stream=True)
    assert (body["stream"], body["stream_options"]) == (True, {"include_usage": True})
    assert "stream_options" not in body_of(ModelRequest("", ()), compat_of({"has_stream_usage": False}), stream=True)


def test_a_wanted_shape_is_asked_for_in_the_way_the_endpoint_knows() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    request = ModelRequest("Be kind.", (), response_schema=schema)
    assert body_of(request)["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": schema, "strict": True},
    }
    loose = ModelRequest("", (), response_schema={"type": "object", "properties": {"a": {}}})
    assert body_of(loose)["response_format"]["json_schema"]["strict"] is False
    told = body_of(request, compat_of(ANY_ENDPOINT, {"json_mode": "json_object"}))
    assert told["response_format"] == {"type": "json_object"}
    assert "additionalProperties" in told["messages"][0]["content"]
    words = body_of(request, compat_of({"json_mode": "none"}))
    assert "response_format" not in words
    assert "additionalProperties" in words["messages"][0]["content"][0]["text"]


def test_the_prefix_of_a_conversation_stays_the_same_byte_for_byte() -> None:
    compat = Compat()
    wire = chat_wire(url="", model="m", reader="p/m", sign=fixed_headers(compat), compat=compat)
    history = [UserMessage("Hi."), AssistantMessage((CALL,)), ToolResultMessage("c1", "f", (TextContent("22C"),))]
    short = wire.encode(ModelRequest("S", tuple(history)), stream=False)
    longer = wire.encode(ModelRequest("S", (*history, UserMessage("More."))), stream=False)
    assert longer.startswith(short.removesuffix(b"]}"))


def test_a_message_is_encoded_once_and_forgotten_with_it() -> None:
    made: list[Message] = []

    def make(message: Message) -> Any:
        made.append(message)
        return [to_openai(message)], []

    encoded = EncodedMessages(make)
    message = UserMessage("Hi.")
    first, again = encoded.message(message), encoded.message(message)
    assert first is again
    assert len(made) == 1
    made.clear()
    assert encoded.size == 1
    del message
    assert encoded.size == 0


@given(st.text(st.characters(), max_size=30))
def test_case_49_no_text_makes_a_body_that_is_not_utf8_json(text: str) -> None:
    call = ToolCall("c1", "f", {text: text})
    history = (UserMessage(text), AssistantMessage((call,)), ToolResultMessage("c1", "f", (TextContent(text),)))
    body = body_of(ModelRequest(text, history))
    assert "\\u0000" not in json.dumps(body)
    assert json.loads(json.dumps(body).encode().decode()) == body
