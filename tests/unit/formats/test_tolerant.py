"""Whole replies of every shape."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seatrial.core.content import ImageContent
from seatrial.core.messages import AssistantMessage
from seatrial.core.usage import ModelCost, Usage
from seatrial.formats.reading import Reading
from seatrial.formats.tolerant import parse_response


def chat(message: Any, finish: Any = "stop", **more: Any) -> AssistantMessage:
    return parse_response({"choices": [{"index": 0, "message": message, "finish_reason": finish}], **more})


CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"a": 1}'}}


@pytest.mark.parametrize(
    "obj",
    [
        {"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}]},
        {"choices": [{"delta": {"content": "Hi."}, "finish_reason": "stop"}]},
        {"choices": [{"text": "Hi.", "finish_reason": "stop"}]},
        {"choices": [None, {"message": {"content": "Hi."}}]},
        {"message": {"content": "Hi."}, "finish_reason": "stop"},
        {"message": {"role": "assistant", "content": "Hi."}, "done": True, "done_reason": "stop"},
        {"role": "assistant", "content": "Hi."},
        {"content": [{"type": "text", "text": "Hi."}], "stop_reason": "end_turn"},
        {"content": "Hi."},
        {"content": ["H", "i."]},
        {"content": [{"text": "Hi."}]},
        {"content": [{"type": "output_text", "text": "Hi."}]},
        {"output": [{"type": "message", "content": [{"type": "output_text", "text": "Hi."}]}], "status": "completed"},
        {"response": "Hi.", "done": True},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi."}]}, "finishReason": "STOP"}]},
        {"output": {"message": {"role": "assistant", "content": [{"text": "Hi."}]}}, "stopReason": "end_turn"},
        {"message": {"content": [{"type": "text", "text": "Hi."}]}, "finish_reason": "COMPLETE"},
        {"generated_text": "Hi."},
        [{"type": "text", "text": "Hi."}],
        b'{"content": "Hi."}',
        '{"content": "Hi."}',
        b'\xef\xbb\xbf{"content": "Hi."}',
    ],
)
def test_case_30_text_is_found_in_every_shape(obj: Any) -> None:
    message = parse_response(obj)
    assert (message.text, message.stop_reason, message.error_message) == ("Hi.", "stop", None)


@pytest.mark.parametrize(
    "item",
    [
        CALL,
        {"id": "c1", "function": {"name": "look", "arguments": {"a": 1}}},
        {"id": "c1", "name": "look", "arguments": '{"a": 1}'},
        {"id": "c1", "name": "look", "args": {"a": 1}},
        {"id": "c1", "name": "look", "input": {"a": 1}},
        {"call_id": "c1", "id": "fc_9", "name": "look", "parameters": {"a": 1}},
        {"id": "c1", "type": "function", "function": "look", "arguments": {"a": 1}},
    ],
)
def test_cases_19_30_calls_are_found_in_every_shape(item: Any) -> None:
    message = chat({"content": None, "tool_calls": [item]})
    assert [(call.id, call.name, call.arguments) for call in message.tool_calls] == [("c1", "look", {"a": 1})]
    assert message.stop_reason == "tool_calls"


def test_geminis_own_shape_is_read() -> None:
    parts = [
        {"text": "hm", "thought": True},
        {"functionCall": {"name": "look", "args": {"a": 1}}},
        {"inlineData": {"mimeType": "image/png", "data": "aWNo"}},
    ]
    counts = {"promptTokenCount": 7, "candidatesTokenCount": 2}
    message = parse_response(
        {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}], "usageMetadata": counts}
    )
    assert [block.text for block in message.reasoning] == ["hm"]
    assert [(call.name, call.arguments) for call in message.tool_calls] == [("look", {"a": 1})]
    assert ImageContent("aWNo", "image/png") in message.content
    assert (message.stop_reason, message.usage.input_tokens) == ("tool_calls", 7)
    blocked = parse_response({"candidates": [], "promptFeedback": {"blockReason": "SAFETY"}})
    assert (blocked.stop_reason, blocked.error_message) == ("content_filter", "the prompt was blocked: SAFETY")


def test_bedrocks_own_shape_is_read() -> None:
    content = [
        {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}},
        {"text": "I look."},
        {"toolUse": {"toolUseId": "t1", "name": "look", "input": {"a": 1}}},
    ]
    message = parse_response({"output": {"message": {"content": content}}, "stopReason": "tool_use"})
    assert [(block.text, block.signature) for block in message.reasoning] == [("hm", "sig")]
    assert [(call.id, call.name, call.arguments) for call in message.tool_calls] == [("t1", "look", {"a": 1})]
    assert (message.text, message.stop_reason) == ("I look.", "tool_calls")


def test_case_31_a_legacy_function_call_is_one_call_with_an_id() -> None:
    message = chat({"content": None, "function_call": {"name": "look", "arguments": '{"a": 1}'}}, "function_call")
    assert message.stop_reason == "tool_calls"
    assert message.tool_calls[0].id


def test_case_16_ids_that_repeat_are_made_unique() -> None:
    message = chat({"tool_calls": [CALL, CALL, {**CALL, "id": ""}, {**CALL, "id": None}]})
    assert len({call.id for call in message.tool_calls}) == 4
    assert message.tool_calls[0].id == "c1"


def test_case_16_ids_stay_unique_where_no_json_could_hold_them() -> None:
    calls = [{"id": half, "function": {"name": "look", "arguments": "{}"}} for half in ("\ud800", "\ude00")]
    message = parse_response({"content": None, "tool_calls": calls})
    assert len({call.id for call in message.tool_calls}) == 2
    msgspec.json.encode(message)


@pytest.mark.parametrize("key", ["id", "model", "finish_reason"])
def test_labels_that_no_json_could_hold_do_not_cost_the_result_its_storing(key: str) -> None:
    message = parse_response({"content": "Hi.", key: "odd \ud800"})
    assert message.text == "Hi."
    assert msgspec.json.decode(msgspec.json.encode(message), type=AssistantMessage) == message


@pytest.mark.parametrize("finish", ["stop", "end_turn", None, "tool_use", "something_new"])
def test_case_20_the_calls_decide_over_the_word(finish: Any) -> None:
    assert chat({"tool_calls": [CALL]}, finish).stop_reason == "tool_calls"


def test_case_21_a_word_without_calls_is_an_answer() -> None:
    message = chat({"content": "Done.", "tool_calls": []}, "tool_calls")
    assert (message.stop_reason, message.raw_stop_reason) == ("stop", "tool_calls")


@pytest.mark.parametrize(
    ("word", "reason"),
    [("length", "length"), ("max_tokens", "length"), ("MAX_TOKENS", "length"), ("model_length", "length")],
)
def test_case_22_a_cut_reply_stays_cut_whatever_it_holds(word: str, reason: str) -> None:
    assert chat({"tool_calls": [CALL]}, word).stop_reason == reason
    assert chat({"content": "Once upon"}, word).stop_reason == reason


@pytest.mark.parametrize("word", ["eos", None, "", "<|im_end|>"])
def test_case_24_other_words_are_a_stop_and_are_kept(word: Any) -> None:
    message = chat({"content": "Hi."}, word)
    assert (message.stop_reason, message.raw_stop_reason) == ("stop", word or None)


def test_an_unknown_word_is_a_warning() -> None:
    assert "<|im_end|>" in chat({"content": "Hi."}, "<|im_end|>").warnings[0]


@pytest.mark.parametrize("word", ["content_filter", "SAFETY", "sensitive", "guardrail_intervened"])
def test_case_25_a_filter_keeps_its_own_reason(word: str) -> None:
    message = chat({"content": ""}, word)
    assert message.stop_reason == "content_filter"
    assert message.error_message


def test_case_25_a_refusal_is_never_an_empty_success() -> None:
    message = chat({"content": None, "refusal": "I cannot help."}, "stop")
    assert (message.stop_reason, message.error_message) == ("refusal", "I cannot help.")
    block = chat({"content": [{"type": "refusal", "refusal": "No."}]})
    assert (block.stop_reason, block.error_message) == ("refusal", "No.")


@pytest.mark.parametrize("word", ["error", "network_error", "insufficient_system_resource"])
def test_a_word_for_failure_is_a_failure(word: str) -> None:
    message = chat({"content": "Half"}, word)
    assert (message.stop_reason, message.can_retry, message.text) == ("error", True, "Half")


def test_case_27_parts_are_joined_in_order_and_images_kept() -> None:
    parts = [
        {"type": "text", "text": "a"},
        "b",
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aWNo"}},
        {"type": "text", "text": "c"},
        {"type": "hologram", "data": {}},
    ]
    message = chat({"content": parts})
    assert message.text == "abc"
    assert message.content[1] == ImageContent("aWNo", "image/png")
    assert "hologram" in message.warnings[0]


@pytest.mark.parametrize("content", [None, "", [], {}, [None], [[]], False])
def test_odd_content_is_an_empty_text(content: Any) -> None:
    message = chat({"content": content})
    assert (message.text, message.stop_reason) == ("", "stop")


@pytest.mark.parametrize(
    ("obj", "words", "can_retry"),
    [
        ({"choices": []}, "no data", True),
        ({"error": {"message": "it broke", "code": 502}}, "it broke", True),
        ({"error": {"message": "bad", "code": 400}}, "bad", False),
        ({"error": {"message": "it broke", "type": "server_error"}}, "it broke", True),
        ({"error": {"message": "pay", "code": "insufficient_quota"}}, "pay", False),
        ({"error": "model not loaded"}, "model not loaded", False),
        ({"error": {"message": "x", "metadata": {"raw": "upstream said no"}}}, "upstream said no", False),
        ([{"error": {"message": "bad key", "code": 400, "status": "INVALID_ARGUMENT"}}], "bad key", False),
        ({"message": "Rate limit reached", "code": "rate_limit"}, "Rate limit reached", True),
        ({"detail": "Not Found"}, "Not Found", False),
        ({"detail": [{"loc": ["body"], "msg": "field required"}]}, "field required", False),
        ({"object": "error", "message": "too long", "code": 400}, "too long", False),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "Overloaded", True),
        ({"errors": [{"message": "first"}, {"message": "second"}]}, "first", False),
        (b"<html><title>502</title></html>", "<html>", False),
        (b'{"choices": [{"mess', "breaks off", True),
        (b"", "empty", True),
        (b"Internal Server Error", "Internal Server Error", False),
        (5, "no data", True),
        (None, "no data", True),
        ({}, "no data", True),
        ({"choices": "x"}, "no data", True),
    ],
)
def test_case_28_what_is_no_answer_is_an_error_with_its_words(obj: Any, words: str, can_retry: bool) -> None:
    message = parse_response(obj)
    assert message.stop_reason == "error"
    assert words in (message.error_message or "")
    assert message.can_retry is can_retry


def test_case_39_reasoning_under_two_names_is_kept_once() -> None:
    message = chat({"content": "4", "reasoning_content": "2+2", "reasoning": "2+2"})
    assert [block.text for block in message.reasoning] == ["2+2"]


@pytest.mark.parametrize(
    "block",
    [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "reasoning", "text": "hm", "signature": "sig"},
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "signature": "sig"},
    ],
)
def test_reasoning_blocks_keep_their_signature(block: Any) -> None:
    message = parse_response({"content": [block, {"type": "text", "text": "4"}]})
    assert [(found.text, found.signature) for found in message.reasoning] == [("hm", "sig")]
    assert message.text == "4"


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ({}, Usage()),
        ({"prompt_tokens": 7, "completion_tokens": None}, Usage(7)),
        ({"prompt_tokens": 7, "completion_tokens": 2}, Usage(7, 2)),
        ({"input_tokens": 7, "output_tokens": 2}, Usage(7, 2)),
        ({"inputTokens": 7, "outputTokens": 2}, Usage(7, 2)),
        ({"promptTokens": 7, "completionTokens": 2}, Usage(7, 2)),
        ({"promptTokenCount": 7, "candidatesTokenCount": 2, "thoughtsTokenCount": 3}, Usage(7, 5, reasoning_tokens=3)),
        ({"prompt_tokens": 7, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 5}}, Usage(7, 2, 5)),
        ({"prompt_tokens": 7, "completion_tokens": 2, "prompt_cache_hit_tokens": 5}, Usage(7, 2, 5)),
        ({"prompt_tokens": 7, "completion_tokens": 2, "cached_tokens": 5}, Usage(7, 2, 5)),
        ({"input_tokens": 7, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 5}}, Usage(7, 2, 5)),
        (
            {
                "input_tokens": 100,
                "output_tokens": 50,
                "cache_read_input_tokens": 800,
                "cache_creation_input_tokens": 100,
            },
            Usage(1000, 50, 800, 100),
        ),
        ({"inputTokens": 100, "outputTokens": 50, "cacheReadInputTokens": 800}, Usage(900, 50, 800)),
        (
            {"prompt_tokens": 900, "completion_tokens": 50, "cache_read_input_tokens": 800, "input_tokens": 100},
            Usage(900, 50, 800),
        ),
        (
            {"prompt_tokens": 1, "completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 4}},
            Usage(1, 9, reasoning_tokens=4),
        ),
        ({"prompt_tokens": "7", "completion_tokens": -1, "cached_tokens": True}, Usage()),
        ({"prompt_tokens": 7.0, "completion_tokens": float("nan")}, Usage(7)),
        ([1, 2], Usage()),
    ],
)
def test_y008_cases_29_67_tokens_are_counted_in_every_spelling(usage: Any, expected: Usage) -> None:
    assert chat({"content": "Hi."}, usage=usage).usage == expected


def test_case_121_the_cost_is_the_same_for_both_ways_of_counting() -> None:
    reading = Reading(prices=ModelCost(3.0, 15.0, 0.3, 3.75))
    dollars = (100 * 3 + 800 * 0.3 + 100 * 3.75 + 50 * 15) / 1e6
    counts: list[dict[str, Any]] = [
        {"input_tokens": 100, "cache_read_input_tokens": 800, "cache_creation_input_tokens": 100, "output_tokens": 50},
        {
            "prompt_tokens": 1000,
            "completion_tokens": 50,
            "prompt_tokens_details": {"cached_tokens": 800, "cache_write_tokens": 100},
        },
    ]
    for usage in counts:
        assert parse_response({"content": "x", "usage": usage}, reading).cost_usd == pytest.approx(dollars)


def test_a_cost_that_the_provider_tells_stands_where_the_price_is_unknown() -> None:
    assert parse_response({"content": "x", "usage": {"cost": 0.25}}).cost_usd == 0.25
    assert parse_response({"content": "x", "usage": {"cost": float("nan")}}).cost_usd is None


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["<think>", "</think>", "<tool_call>", '{"name": "look", "arguments": {}}', "\ud800", "stop"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *(
                        "choices",
                        "message",
                        "content",
                        "tool_calls",
                        "function",
                        "name",
                        "arguments",
                        "id",
                        "index",
                        "type",
                    ),
                    *(
                        "usage",
                        "prompt_tokens",
                        "error",
                        "code",
                        "text",
                        "delta",
                        "output",
                        "reasoning",
                        "thinking",
                        "data",
                    ),
                    *("signature", "refusal", "finish_reason", "stop_reason", "status", "source", "image_url", "url"),
                    *(
                        "candidates",
                        "parts",
                        "functionCall",
                        "reasoningContent",
                        "thought",
                        "promptFeedback",
                        "inlineData",
                    ),
                    *("reasoning_details", "function_call", "input", "images", "detail", "errors", "encrypted_content"),
                ]
            )
            | st.text(max_size=3),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)


@settings(max_examples=700)
@given(JUNK)
def test_no_json_makes_the_parser_raise_and_every_call_can_be_answered(obj: Any) -> None:
    message = parse_response(obj, Reading(tool_names=("look",)))
    ids = [call.id for call in message.tool_calls]
    assert len(ids) == len(set(ids))
    assert all(ids)
    assert all(call.name for call in message.tool_calls)
    if message.stop_reason in ("error", "refusal", "content_filter", "incomplete"):
        assert message.error_message is not None
    message.text.encode()


@settings(max_examples=300)
@given(st.binary(max_size=60))
def test_no_bytes_make_the_parser_raise(body: bytes) -> None:
    parse_response(body)
