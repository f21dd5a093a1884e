"""The ordinary reply is read in one step, and as the tolerant reader reads it."""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.core.messages import AssistantMessage
from seatrial.core.usage import ModelCost, Usage
from seatrial.formats.plain_reply import read_plain_reply
from seatrial.formats.reading import Reading
from seatrial.formats.tolerant import parse_response

READING = Reading(
    api="openai_chat",
    provider="openai",
    model="m",
    tool_names=("look",),
    prices=ModelCost(1.0, 2.0, 0.5),
    remarks=("x",),
)
USAGE: dict[str, Any] = {
    "prompt_tokens": 19,
    "completion_tokens": 10,
    "total_tokens": 29,
    "prompt_tokens_details": {"cached_tokens": 3, "audio_tokens": 0},
    "completion_tokens_details": {
        "reasoning_tokens": 2,
        "audio_tokens": 0,
        "accepted_prediction_tokens": 0,
        "rejected_prediction_tokens": 0,
    },
}
REPLY: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1741569952,
    "model": "gpt-4.1-2025-04-14",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Hello there.", "refusal": None, "annotations": []},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": USAGE,
    "service_tier": "default",
    "system_fingerprint": None,
}


def timeless(message: AssistantMessage) -> AssistantMessage:
    return msgspec.structs.replace(message, timestamp=datetime(2026, 1, 1, tzinfo=UTC))


def changed(**message: Any) -> bytes:
    choice = {**REPLY["choices"][0], "message": {**REPLY["choices"][0]["message"], **message}}
    return json.dumps({**REPLY, "choices": [choice]}).encode()


def test_a_reply_of_text_is_read_with_all_that_is_said_of_it() -> None:
    message = read_plain_reply(json.dumps(REPLY).encode(), READING)
    assert message is not None
    assert (message.text, message.response_id, message.stop_reason) == ("Hello there.", "chatcmpl-1", "stop")
    assert message.usage == Usage(19, 10, 3, None, 2)
    assert message.cost_usd == pytest.approx((16 * 1.0 + 3 * 0.5 + 10 * 2.0) / 1e6)
    assert message.warnings == ("x",)


@pytest.mark.parametrize(
    "message",
    [
        {"tool_calls": [{"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
        {"content": None},
        {"content": "  "},
        {"content": "<think>hm</think>Hello"},
        {"content": 'look {"name": "look", "arguments": {}}'},
        {"reasoning_content": "hm"},
        {"refusal": "no"},
        {"content": [{"type": "text", "text": "Hello"}]},
        {"content": "half a pair \ud800"},
    ],
)
def test_anything_else_is_left_to_the_tolerant_reader(message: dict[str, Any]) -> None:
    assert read_plain_reply(changed(**message), READING) is None


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"no", b'{"choices": []}', b'{"error": {"message": "x"}}', b"\xff", b"[" * 9999]
)
def test_what_is_no_such_reply_is_left_too(body: bytes) -> None:
    assert read_plain_reply(body, READING) is None


TEXTS = st.one_of(
    st.just("Hello."), st.text(max_size=12), st.sampled_from(["<think>a</think>b", "{", "<|tool_call|>", "\u0000", " "])
)
COUNTS = st.one_of(st.none(), st.integers(-3, 10**16), st.floats(), st.booleans(), st.just("7"))
ODD = st.one_of(st.none(), TEXTS, COUNTS, st.just([]), st.just({}), st.just([1]), st.just({"message": "x"}))
CHOICE = ("choices", 0)
MESSAGE = (*CHOICE, "message")
PLACES = (
    *((key,) for key in (*REPLY, "provider", "api", "error", "finish_reason", "stop_details", "cost")),
    *((*CHOICE, key) for key in ("index", "logprobs", "finish_reason", "text", "usage", "stop_reason")),
    *((*MESSAGE, key) for key in ("content", "role", "refusal", "annotations", "audio", "tool_calls", "function_call")),
    *((*MESSAGE, key) for key in ("reasoning", "reasoning_content", "images", "thinking")),
    *(("usage", key) for key in (*USAGE, "cost", "input_tokens", "cached_tokens")),
    *(("usage", f"{side}_tokens_details", "cached_tokens") for side in ("prompt", "completion")),
    *(("usage", f"{side}_tokens_details", "reasoning_tokens") for side in ("prompt", "completion")),
)


@st.composite
def replies(draw: st.DrawFn) -> dict[str, Any]:
    """The ordinary reply with up to three values changed, added or left out."""
    reply = deepcopy(REPLY)
    for place in draw(st.lists(st.sampled_from(PLACES), max_size=3)):
        block: Any = reply
        for key in place[:-1]:
            block = (
                block[0] if isinstance(block, list) and block else block.get(key) if isinstance(block, dict) else None
            )
        if isinstance(block, dict) and draw(st.booleans()):
            block.pop(place[-1], None)
        elif isinstance(block, dict):
            block[place[-1]] = draw(TEXTS if place[-1] == "content" else ODD)
    return reply


READINGS = st.sampled_from([READING, Reading(), Reading(begins_with_thoughts=True), Reading(has_think_tags=False)])


@given(reply=replies(), reading=READINGS)
def test_what_it_reads_it_reads_as_the_tolerant_reader_does(reply: dict[str, Any], reading: Reading) -> None:
    body = json.dumps(reply).encode()
    message = read_plain_reply(body, reading)
    assert message is None or timeless(message) == timeless(parse_response(body, reading))
