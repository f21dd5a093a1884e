"""An agent as a tool of another one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support.simple_tools import Gate, tool

from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent, RunResult
from seatrial.core.hooks import Ask, CallAhead, Hooks
from seatrial.core.limits import Limits
from seatrial.core.model import ModelInfo
from seatrial.core.usage import ModelCost, Usage
from seatrial.providers.scripted import calls, calls_many, fails, says, scripted

PRICED = ModelInfo("m", "M", "scripted", cost=ModelCost(input=1.0, output=1.0))


def parent_of(child: Agent, **options: Any) -> Agent:
    model = scripted(calls("expert", prompt="Solve it."), says("done", usage=Usage(10, 10)), info=PRICED)
    return Agent(model, tools=[child.as_tool("expert", "Knows it.")], **options)


async def test_a_sub_agent_answers_and_its_spending_is_the_parents() -> None:
    child_model = scripted(calls("a"), says("42", usage=Usage(100, 50)), info=PRICED)
    child = Agent(child_model, tools=[tool("a")])
    result = await parent_of(child).run("go")
    told = result.transcript.tool_results[0]
    assert (told.text, told.is_error) == ("42", False)
    assert told.details["stop_reason"] == "stop"
    roles = [message["role"] for message in told.details["transcript"]["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant"]
    assert result.usage.input_tokens == 110
    assert [message.text for message in child_model.requests[0].messages] == ["Solve it."]
    assert RunResult.from_json(result.to_json()).text == "done"


async def test_the_cost_of_a_sub_agent_is_known_or_unknown() -> None:
    for info, cost_usd in ((PRICED, pytest.approx(1.0)), (None, None)):
        child = Agent(scripted(says("42", usage=Usage(1_000_000, 0)), info=info))
        asks = calls_many(("expert", {"prompt": "x"}), usage=Usage(0, 0))
        model = scripted(asks, says("ok", usage=Usage(0, 0)), info=PRICED)
        assert (await Agent(model, tools=[child.as_tool("expert", "Knows it.")]).run("go")).cost_usd == cost_usd


async def test_edge_126_a_sub_agent_at_its_limit_is_an_error_result() -> None:
    child = Agent(scripted(*[calls("a")] * 5), tools=[tool("a")], limits=Limits(max_turns=2))
    result = await parent_of(child).run("go")
    told = result.transcript.tool_results[0]
    assert (told.is_error, result.text) == (True, "done")
    assert "limit (max_turns)" in told.text


async def test_a_hook_that_fails_deep_inside_is_an_error_of_the_whole_run() -> None:
    def broken(_: CallAhead) -> None:
        raise ValueError("no rules today")

    innermost = Agent(scripted(calls("a"), says("42")), tools=[tool("a")], hooks=Hooks(before_tool_call=broken))
    result = await parent_of(parent_of(innermost)).run("go")
    assert result.text == "done"
    assert len(result.hook_errors) == 1
    assert "in expert: in expert: the hook before_tool_call failed at a" in result.hook_errors[0]
    assert "no rules today" in result.hook_errors[0]


ASKS = Hooks(before_tool_call=lambda _: Ask())


@pytest.mark.parametrize(
    ("child", "words"),
    [
        (Agent(scripted(fails("500: broken"))), "500: broken"),
        (Agent(scripted(says("no", stop_reason="refusal"))), "refusal"),
        (
            Agent(scripted(calls("a")), tools=[tool("a")], hooks=ASKS),
            "awaiting_approval",
        ),
    ],
)
async def test_edge_126_whatever_ends_a_sub_agent_the_parent_goes_on(child: Agent, words: str) -> None:
    result = await parent_of(child).run("go")
    told = result.transcript.tool_results[0]
    assert (told.is_error, result.text) == (True, "done")
    assert words in told.text


async def test_edge_126_aborting_the_parent_stops_the_child() -> None:
    gate, signal = Gate(), AbortSignal()
    child = Agent(scripted(calls("gate")), tools=[gate.tool])
    run = asyncio.ensure_future(parent_of(child).run("go", signal=signal))
    await gate.entered.wait()
    signal.set()
    result = await asyncio.wait_for(run, 10)
    assert (result.stop_reason, gate.was_cancelled) == ("aborted", True)
    assert result.transcript.tool_results[0].is_error


async def test_a_sub_agent_needs_a_prompt() -> None:
    model = scripted(calls("expert"), says("ok"))
    result = await Agent(model, tools=[Agent(scripted()).as_tool("expert", "Knows it.")]).run("go")
    assert result.transcript.tool_results[0].text == "Missing required arguments: prompt"
