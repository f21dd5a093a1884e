"""Calls that wait for a person, over a restart."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest
from tests.support.simple_tools import INTEGER, tool

from seatrial.core.agent import Agent, RunResult
from seatrial.core.hooks import Allow, Answer, Ask, CallAhead, Decision, Deny, Hooks, Modify
from seatrial.core.limits import Limits
from seatrial.core.usage import Usage
from seatrial.providers.scripted import ScriptedModel, calls_many, says, scripted


def ask_for_pay(ahead: CallAhead) -> Ask | None:
    return Ask(f"pay {ahead.arguments['n']}?") if ahead.call.name == "pay" else None


class Shop:
    """An agent as it is built anew after each restart, over one ledger."""

    def __init__(self) -> None:
        self.ledger: list[tuple[str, int]] = []

    def agent(self, model: ScriptedModel, **options: Any) -> Agent:
        def book(name: str) -> Any:
            async def run(arguments: dict[str, Any], _: object) -> str:
                self.ledger.append((name, arguments["n"]))
                return f"{name} {arguments['n']}"

            return tool(name, run, properties={"n": INTEGER})

        return Agent(model, tools=[book("pay"), book("look")], hooks=Hooks(before_tool_call=ask_for_pay), **options)


def restarted(result: RunResult) -> RunResult:
    return RunResult.from_json(result.to_json())


THREE = calls_many(("look", {"n": 1}), ("pay", {"n": 2}), ("look", {"n": 3}), usage=Usage(10, 5))


@pytest.mark.parametrize(
    ("decision", "booked", "told"),
    [
        (Allow(), [("pay", 2)], "pay 2"),
        (Deny("too much"), [], "Denied: too much"),
        (Modify({"n": 1}), [("pay", 1)], "pay 1"),
        (Answer("paid in cash"), [], "paid in cash"),
        (Modify({"n": "lots"}), [], "do not fit"),
    ],
)
async def test_edge_124_siblings_are_kept_and_a_decision_works_after_a_restart(
    decision: Decision, booked: list[tuple[str, int]], told: str
) -> None:
    shop = Shop()
    asked = restarted(await shop.agent(scripted(THREE)).run("go"))
    assert asked.stop_reason == "awaiting_approval"
    (pending,) = asked.pending_approvals
    assert (pending.call.name, pending.call.arguments, pending.reason) == ("pay", {"n": 2}, "pay 2?")
    assert [item.text for item in asked.transcript.tool_results] == ["look 1", "look 3"]
    model = scripted(says("done", usage=Usage(20, 5)))
    decisions = msgspec.json.decode(msgspec.json.encode({pending.call.id: decision}), type=dict[str, Decision])
    result = await shop.agent(model).resume(asked, decisions)
    assert shop.ledger == [("look", 1), ("look", 3), *booked]
    assert result.text == "done"
    sent = model.requests[0].messages
    assert [message.tool_call_id for message in sent if message.role == "tool"] == ["call_1_1", "call_1_2", "call_1_3"]
    assert told in sent[3].text


@pytest.mark.parametrize("order", list(itertools.permutations(["call_1_1", "call_1_2", "call_1_3"])))
async def test_edge_124_decisions_in_any_order_run_each_call_once(order: tuple[str, ...]) -> None:
    shop = Shop()
    three = calls_many(("pay", {"n": 1}), ("pay", {"n": 2}), ("pay", {"n": 3}))
    result = await shop.agent(scripted(three)).run("go")
    for call_id in order[:-1]:
        result = restarted(await shop.agent(scripted(says("never"))).resume(restarted(result), {call_id: Allow()}))
        assert result.stop_reason == "awaiting_approval"
    result = await shop.agent(scripted(says("done"))).resume(result, {order[-1]: Allow()})
    assert [f"call_1_{n}" for _, n in shop.ledger] == list(order)
    assert (result.text, result.stop_reason) == ("done", "stop")


async def test_a_resumed_run_counts_as_one_with_what_went_before() -> None:
    shop = Shop()
    asked = await shop.agent(scripted(THREE)).run("go", history=[])
    model = scripted(says("done", usage=Usage(20, 5)))
    result = await shop.agent(model).resume(restarted(asked), {"call_1_2": Allow()})
    assert (result.usage.input_tokens, result.usage.requests, result.turns) == (30, 2, 2)
    assert len(result.requests) == 2
    assert (result.tool_call_count, result.history_length) == (3, 0)


async def test_limits_hold_over_an_approval() -> None:
    shop = Shop()
    asked = await shop.agent(scripted(THREE)).run("go")
    limited = shop.agent(scripted(says("never")), limits=Limits(max_turns=1))
    result = await limited.resume(asked, {"call_1_2": Allow()})
    assert (result.stop_reason, result.limit, shop.ledger[-1]) == ("limit", "max_turns", ("pay", 2))


async def test_decisions_for_other_calls_are_mistakes_of_the_program() -> None:
    shop = Shop()
    asked = await shop.agent(scripted(THREE)).run("go")
    with pytest.raises(ValueError, match="call_1_2"):
        await shop.agent(scripted()).resume(asked, {"call_9": Allow()})
    finished = await shop.agent(scripted("ok")).run("hi")
    with pytest.raises(ValueError, match="no tool call waits"):
        await shop.agent(scripted()).resume(finished, {})
    assert shop.ledger == [("look", 1), ("look", 3)]


async def test_a_decision_overrules_the_hook_that_asked_and_no_other() -> None:
    asks = Hooks(before_tool_call=[lambda _: Ask(), lambda _: Deny("frozen account")])
    agent = Agent(scripted(calls_many(("a", {})), says("ok")), tools=[tool("a")], hooks=asks)
    asked = await agent.run("go")
    result = await agent.resume(asked, {asked.pending_approvals[0].call.id: Allow()})
    assert result.transcript.tool_results[0].text == "Denied: frozen account"


async def test_a_call_inside_a_tool_cannot_wait() -> None:
    async def outer(_: object, context: Any) -> str:
        output = await context.run_tool("pay", {"n": 1})
        return str(output.content[0].text)

    shop = Shop()
    tools = [*shop.agent(scripted()).tools, tool("outer", outer)]
    agent = Agent(
        scripted(calls_many(("outer", {})), says("ok")), tools=tools, hooks=Hooks(before_tool_call=ask_for_pay)
    )
    result = await agent.run("go")
    assert "approval" in result.transcript.tool_results[0].text
    assert shop.ledger == []
