"""Runs on replies that no server should give: what was cut or unreadable is never run, and each call has one result."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import Any

import pytest
from tests.support.fuzzing import REPLIES, parts, try_all
from tests.support.random_replies import random_reply, random_stream
from tests.support.simple_tools import STRING, tool

from seatrial.core.agent import Agent, RunResult
from seatrial.core.history import repair_history
from seatrial.core.limits import Limits
from seatrial.core.messages import AssistantMessage
from seatrial.core.tool import ToolContext
from seatrial.formats.openai_chat_stream import chat_stream
from seatrial.formats.reading import Reading
from seatrial.formats.tolerant import parse_response
from seatrial.providers.scripted import ScriptedModel, says

READING = Reading(tool_names=("look", "get_weather"), seed="1")
CUT = ("length", "incomplete", "error", "refusal", "content_filter", "aborted")


def random_replies(chance: random.Random) -> list[AssistantMessage]:
    return [_read_reply(chance) for _ in range(chance.randrange(1, 4))]


def _read_reply(chance: random.Random) -> AssistantMessage:
    if chance.random() < 0.5:
        return parse_response(random_reply(chance), READING)
    stream = chat_stream(READING, None)
    stream.feed(random_stream(chance)[1])
    return stream.end()


def try_run(replies: list[AssistantMessage], _: random.Random) -> None:
    ran: list[str] = []

    async def look(_arguments: dict[str, Any], context: ToolContext) -> str:
        ran.append(context.tool_call_id)
        return "seen"

    tools = [tool(name, look, properties={"city": STRING}, required=[]) for name in READING.tool_names]
    model = ScriptedModel([*replies, says("the end")])
    result = asyncio.run(Agent(model, tools=tools, limits=Limits(max_turns=6)).run("go"))
    check(result, ran)
    for request in model.requests:
        assert repair_history(request.messages) == request.messages


def check(result: RunResult, ran: list[str]) -> None:
    said = [message for message in result.transcript.messages if isinstance(message, AssistantMessage)]
    asked = [(call, message.stop_reason) for message in said for call in message.tool_calls]
    ids = Counter(call.id for call, _ in asked)
    assert set(ids.values()) <= {1}
    assert Counter(told.tool_call_id for told in result.transcript.tool_results) == ids
    assert set(Counter(ran).values()) <= {1}
    assert not {call.id for call, reason in asked if reason in CUT or call.arguments_error} & set(ran)
    assert RunResult.from_json(result.to_json()) == result


@pytest.mark.parametrize("numbers", parts(REPLIES), ids=lambda numbers: numbers.start)
def test_p003_no_call_is_run_that_was_cut_or_unreadable(numbers: range) -> None:
    try_all("run", numbers, random_replies, try_run)
