"""Odd replies, read and then acted on: what runs, what does not, and what the model is told."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.support.simple_tools import INTEGER, tool

from seatrial.core.agent import Agent, RunResult
from seatrial.core.messages import AssistantMessage
from seatrial.formats.openai_chat import to_openai
from seatrial.formats.reading import Reading
from seatrial.formats.tolerant import parse_response
from seatrial.providers.scripted import ScriptedModel, says

OFFERED = Reading(tool_names=("look", "count"))


def reply(arguments: Any, name: str = "look", finish: str = "tool_calls", **labels: Any) -> AssistantMessage:
    call = {"id": "c1", "function": {"name": name, "arguments": arguments}, **labels}
    choice = {"message": {"content": None, "tool_calls": [call]}, "finish_reason": finish}
    return parse_response({"choices": [choice]}, OFFERED)


async def acted_on(message: AssistantMessage) -> tuple[RunResult, ScriptedModel]:
    model = ScriptedModel([message, says("done")])
    tools = [tool("look", properties={"n": INTEGER}, required=[]), tool("count", properties={"n": INTEGER})]
    return await Agent(model, tools=tools).run("go"), model


async def test_case_1_arguments_go_back_byte_for_byte() -> None:
    text = '{"n":  1 , "city": "กรุงเทพ"}'
    _, model = await acted_on(reply(text))
    wire = to_openai(model.requests[1].messages[1])
    assert wire is not None
    assert wire["tool_calls"][0]["function"]["arguments"] == text


@pytest.mark.parametrize("arguments", ["", "  ", None, "null", {}])
async def test_cases_3_4_without_arguments_a_tool_that_needs_none_runs(arguments: Any) -> None:
    result, _ = await acted_on(reply(arguments))
    told = result.transcript.tool_results[0]
    assert (told.was_executed, told.is_error) == (True, False)


@pytest.mark.parametrize("arguments", ["", None, "null"])
async def test_case_4_without_arguments_a_tool_that_needs_some_does_not_run(arguments: Any) -> None:
    result, _ = await acted_on(reply(arguments, name="count"))
    assert result.transcript.tool_results[0].text == "Missing required arguments: n"


async def test_case_5_cut_arguments_are_told_and_not_run() -> None:
    result, model = await acted_on(reply('{"city": "Bang'))
    told = result.transcript.tool_results[0]
    assert (told.was_executed, told.is_error, result.text) == (False, True, "done")
    assert '{"city": "Bang' in told.text
    assert "cut off" in told.text
    wire = to_openai(model.requests[1].messages[1])
    assert wire is not None
    assert msgspec.json.decode(wire["tool_calls"][0]["function"]["arguments"]) == {}


async def test_case_19_a_call_without_a_type_is_run() -> None:
    result, _ = await acted_on(reply('{"n": 1}', finish="stop"))
    assert result.transcript.tool_results[0].was_executed


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None, "completion_tokens": None}])
async def test_case_29_tokens_that_nobody_tells_are_unknown(usage: Any) -> None:
    message = parse_response({"choices": [{"message": {"content": "Hi."}, "finish_reason": "stop"}], "usage": usage})
    result = await Agent(ScriptedModel([message])).run("go")
    assert result.cost_usd is None
    assert result.requests[0].usage.input_tokens is None
