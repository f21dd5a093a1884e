"""Answers of a required shape."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.simple_tools import INTEGER, STRING, tool

from seatrial.core.agent import Agent
from seatrial.core.content import TextContent, ToolCall
from seatrial.core.limits import Limits
from seatrial.core.messages import AssistantMessage
from seatrial.providers.scripted import calls, calls_many, says, scripted

SCHEMA = {"type": "object", "properties": {"city": STRING, "degrees": INTEGER}, "required": ["city", "degrees"]}
GOOD = '{"city": "Bangkok", "degrees": 22}'
VALUE = {"city": "Bangkok", "degrees": 22}


@pytest.mark.parametrize(
    "text", [GOOD, f" \n{GOOD}\n", f"```json\n{GOOD}\n```", f"Here it is:\n```\n{GOOD}\n```\nAnything else?"]
)
async def test_edge_127_the_answer_is_read_in_a_fence_or_not(text: str) -> None:
    model = scripted(says(text))
    result = await Agent(model, response_schema=SCHEMA).run("go")
    assert (result.output, result.stop_reason) == (VALUE, "stop")
    assert model.requests[0].response_schema == SCHEMA


@pytest.mark.parametrize("bad", ["22 degrees", '{"city": "Bangkok"}', '{"city": 3, "degrees": 22}', "[1]", "NaN", ""])
async def test_edge_127_a_wrong_answer_is_returned_to_mend(bad: str) -> None:
    model = scripted(says(bad or "{}"), says(GOOD))
    result = await Agent(model, response_schema=SCHEMA).run("go")
    correction = model.requests[1].messages[-1]
    assert (result.output, result.turns) == (VALUE, 2)
    assert correction.role == "user"
    assert "does not fit" in correction.text
    assert '"degrees"' in correction.text


async def test_edge_127_two_corrections_then_an_error_with_the_text() -> None:
    model = scripted(says("one"), says("two"), says("three"), says(GOOD))
    result = await Agent(model, response_schema=SCHEMA).run("go")
    assert (result.stop_reason, result.error_code, len(model.requests)) == ("error", "invalid_answer", 3)
    assert (result.text, result.output) == ("three", None)


async def test_corrections_are_within_the_limits() -> None:
    model = scripted(says("one"), says(GOOD))
    result = await Agent(model, response_schema=SCHEMA, limits=Limits(max_turns=1)).run("go")
    assert (result.stop_reason, result.limit, len(model.requests)) == ("limit", "max_turns", 1)


async def test_edge_127_beside_tools_a_hidden_one_takes_the_answer() -> None:
    model = scripted(calls("weather"), calls("final_answer", **VALUE))
    result = await Agent(model, tools=[tool("weather")], response_schema=SCHEMA).run("go")
    assert [spec.name for spec in model.requests[0].tools] == ["weather", "final_answer"]
    assert model.requests[0].response_schema is None
    assert model.requests[0].tools is model.requests[1].tools
    assert result.output == VALUE
    assert [call.name for call in result.transcript.tool_calls] == ["weather"]
    assert [message.role for message in result.transcript.messages] == ["user", "assistant", "tool", "assistant"]


async def test_beside_tools_plain_json_is_an_answer_too() -> None:
    result = await Agent(scripted(says(GOOD)), tools=[tool("weather")], response_schema=SCHEMA).run("go")
    assert result.output == VALUE


async def test_an_answer_beside_other_calls_came_too_early() -> None:
    early = calls_many(("weather", {}), ("final_answer", {"city": "?", "degrees": 0}))
    model = scripted(early, calls("final_answer", **VALUE))
    result = await Agent(model, tools=[tool("weather")], response_schema=SCHEMA).run("go")
    assert result.output == VALUE
    assert [item.tool_name for item in result.transcript.tool_results] == ["weather"]


async def test_a_wrong_answer_of_the_hidden_tool_is_returned_to_mend() -> None:
    unreadable = ToolCall("1", "final_answer", {}, arguments_text="{oops", arguments_error="no JSON")
    model = scripted(calls("final_answer", city=1), calls_many(unreadable), calls("final_answer", **VALUE))
    result = await Agent(model, tools=[tool("weather")], response_schema=SCHEMA).run("go")
    assert (result.output, len(model.requests)) == (VALUE, 3)


@pytest.mark.parametrize(
    ("schema", "arguments", "value"),
    [({"type": "array", "items": INTEGER}, {"answer": [1, 2]}, [1, 2]), ({"enum": ["a", "b"]}, {"answer": "a"}, "a")],
)
async def test_answers_that_are_no_object_are_wrapped(
    schema: dict[str, Any], arguments: dict[str, Any], value: Any
) -> None:
    model = scripted(calls("final_answer", **arguments))
    result = await Agent(model, tools=[tool("weather")], response_schema=schema).run("go")
    assert (result.output, result.stop_reason) == (value, "stop")


async def test_a_tool_of_the_same_name_is_another_one() -> None:
    model = scripted(calls("final_answer"), calls("final_answer_", **VALUE))
    result = await Agent(model, tools=[tool("final_answer")], response_schema=SCHEMA).run("go")
    assert result.output == VALUE
    assert result.transcript.tool_results[0].text == "final_answer"


async def test_a_cut_answer_is_no_answer() -> None:
    cut = calls_many(("final_answer", VALUE), stop_reason="length")
    result = await Agent(scripted(cut), tools=[tool("weather")], response_schema=SCHEMA).run("go")
    assert (result.stop_reason, result.output) == ("length", None)


async def test_text_beside_the_hidden_call_is_no_part_of_the_answer() -> None:
    reply = AssistantMessage(
        (TextContent("Here you are."), ToolCall("1", "final_answer", VALUE)), stop_reason="tool_calls"
    )
    result = await Agent(scripted(reply), tools=[tool("weather")], response_schema=SCHEMA).run("go")
    assert result.output == VALUE
