"""Whatever comes over a wire ends as a message that keeps its promises, and never as an exception.

``make fuzz`` tries far more of them.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from tests.support.fuzzing import REPLIES, STREAMS, parts, try_all
from tests.support.random_replies import random_cut, random_reply, random_stream

from seatrial.core.history import repair_history
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.model import ModelNotice
from seatrial.formats.anthropic_messages import to_anthropic
from seatrial.formats.anthropic_stream import anthropic_stream
from seatrial.formats.ollama_chat import ollama_stream
from seatrial.formats.openai_chat import to_openai
from seatrial.formats.openai_chat_stream import chat_stream
from seatrial.formats.openai_responses import to_responses
from seatrial.formats.openai_responses_stream import responses_stream
from seatrial.formats.reading import Reading
from seatrial.formats.tolerant import parse_response
from seatrial.formats.wire_json import encode

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
READINGS = [
    Reading(tool_names=("look", "get_weather"), seed="1"),
    Reading(tool_names=("look", "get_weather"), seed="1", has_think_tags=False, has_text_calls=False),
    Reading(),
]
OPENED: dict[str, Callable[..., Any]] = {
    "openai": chat_stream,
    "openai-responses": responses_stream,
    "anthropic": anthropic_stream,
    "ollama": ollama_stream,
}
WITHOUT_ANSWER = ("error", "refusal", "content_filter", "incomplete")


def read(wire: str, reading: Reading, pieces: list[bytes], *, is_told: bool) -> tuple[AssistantMessage, list[Any]]:
    notices: list[ModelNotice] = []
    stream = OPENED[wire](reading, notices.append if is_told else None)
    for piece in pieces:
        stream.feed(piece)
    return msgspec.structs.replace(stream.end(), timestamp=EPOCH), notices


def check(message: AssistantMessage) -> None:
    """The promises of a message, and of what is sent of it."""
    calls = message.tool_calls
    assert len({call.id for call in calls}) == len(calls)
    assert all(call.id and call.name and isinstance(call.arguments, dict) for call in calls)
    assert message.stop_reason not in WITHOUT_ANSWER or message.error_message
    assert message.stop_reason != "tool_calls" or calls
    written = msgspec.json.encode(message)
    assert msgspec.json.encode(msgspec.json.decode(written, type=AssistantMessage)) == written
    for wire in (to_openai(message), to_anthropic(message), to_responses(message)):
        encode(wire)
    for call in (to_openai(message) or {}).get("tool_calls", ()):
        assert isinstance(msgspec.json.decode(call["function"]["arguments"]), dict)


def try_stream(made: tuple[str, bytes], chance: random.Random) -> None:
    wire, data = made
    reading = chance.choice(READINGS)
    whole = read(wire, reading, [data], is_told=True)
    check(whole[0])
    assert read(wire, reading, random_cut(data, chance), is_told=True) == whole
    msgspec.json.encode(whole[1])


def try_reply(reply: object, chance: random.Random) -> None:
    check(parse_response(reply, chance.choice(READINGS)))


def random_history(chance: random.Random) -> list[Message]:
    """A conversation whose replies are random, whose results are missing, doubled, strange or in another order."""
    history: list[Message] = []
    for _ in range(chance.randrange(7)):
        history.append(UserMessage(chance.choice(["", " ", "hi"]), EPOCH, chance.choice([None] * 9 + [0, 2])))
        reply = parse_response(random_reply(chance), chance.choice(READINGS))
        history.append(msgspec.structs.replace(reply, timestamp=EPOCH))
        history += [
            ToolResultMessage(chance.choice([call.id, call.id, call.id, "strange"]), call.name, timestamp=EPOCH)
            for call in reply.tool_calls
            for _ in range(chance.randrange(3))
        ]
        if chance.random() < 0.2:
            chance.shuffle(history)
    return history


def try_history(history: list[Message], _: random.Random) -> None:
    sent = repair_history(history)
    assert repair_history(sent) == sent
    due: list[str] = []
    seen: Counter[str] = Counter()
    for message in sent:
        if isinstance(message, ToolResultMessage):
            assert message.tool_call_id == due.pop(0)
            assert message.content
            continue
        assert not due
        if isinstance(message, AssistantMessage):
            due = [call.id for call in message.tool_calls]
            seen.update(due)
            assert message.stop_reason not in ("error", "incomplete", "aborted", "content_filter")
    assert not due
    assert all(times == 1 for times in seen.values())


@pytest.mark.parametrize("numbers", parts(STREAMS), ids=lambda numbers: numbers.start)
def test_p002_random_bytes_give_one_honest_message_for_every_cut(numbers: range) -> None:
    try_all("stream", numbers, random_stream, try_stream)


@pytest.mark.parametrize("numbers", parts(REPLIES), ids=lambda numbers: numbers.start)
def test_p001_random_json_gives_an_honest_message(numbers: range) -> None:
    try_all("reply", numbers, random_reply, try_reply)


@pytest.mark.parametrize("numbers", parts(REPLIES), ids=lambda numbers: numbers.start)
def test_p005_random_histories_are_sent_with_one_result_for_each_call(numbers: range) -> None:
    try_all("history", numbers, random_history, try_history)
