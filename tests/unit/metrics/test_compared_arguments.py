"""Which arguments of a call are compared: those that the tool got, and those that the model wrote."""

from __future__ import annotations

import pytest
from tests.support.simple_tools import INTEGER, tool

from seatrial.core.agent import Agent
from seatrial.core.content import ToolCall
from seatrial.core.hooks import Hooks, Modify
from seatrial.core.messages import AssistantMessage, ToolResultMessage
from seatrial.core.result import RunResult
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.trajectory.calls import calls_of
from seatrial.metrics.trajectory.expected_tools import ExpectedTools
from seatrial.providers.scripted import calls, says, scripted


async def asked(**arguments: object) -> RunResult:
    """A run in which the model calls a tool that takes a whole number."""
    book = tool("book", properties={"nights": INTEGER})
    return await Agent(scripted(calls("book", **arguments), says("done")), tools=[book]).run("go")


async def measured(run: RunResult, **args: object) -> Measurement:
    evidence = Evidence("go", run.text, run.transcript.messages, tools=run.tools)
    return await ExpectedTools(expected=[{"name": "book", "args": args}]).measure(evidence)


@pytest.mark.parametrize("expected", [3, "3", {"schema": {"type": "integer"}}, {"regex": "3"}])
async def test_a_number_that_the_model_wrote_as_text_fits_as_either(expected: object) -> None:
    assert (await measured(await asked(nights="3"), nights=expected)).value == 1.0


async def test_what_neither_was_is_told_with_both() -> None:
    told = await measured(await asked(nights="3"), nights=4)
    assert told.value == 0.0
    assert told.reason == 'book, call #1: nights: "3" (run with 3), expected 4'


async def test_what_a_hook_changed_fits_before_and_after() -> None:
    hooks = Hooks(before_tool_call=lambda _: Modify({"nights": 9}))
    book = tool("book", properties={"nights": INTEGER})
    run = await Agent(scripted(calls("book", nights=2), says("done")), tools=[book], hooks=hooks).run("go")
    assert [(await measured(run, nights=nights)).value for nights in (2, 9, 5)] == [1.0, 1.0, 0.0]


def test_a_call_whose_id_comes_again_fails_for_itself_alone() -> None:
    reply = AssistantMessage((ToolCall("c1", "book", {}),), stop_reason="tool_calls")
    bad, good = (ToolResultMessage("c1", "book", is_error=is_error) for is_error in (True, False))
    assert [call.is_error for call in calls_of([reply, bad, reply, good])] == [True, False]
