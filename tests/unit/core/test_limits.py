"""What ends a run that would go on, and what it cost until then."""

from __future__ import annotations

import msgspec
import pytest
from tests.support.simple_tools import tool

from seatrial.core.agent import Agent
from seatrial.core.events import AgentEvent, UsageCounted, WarningRaised
from seatrial.core.hooks import Deny, Hooks
from seatrial.core.limits import Limits
from seatrial.core.messages import AssistantMessage, FailedTry
from seatrial.core.model import ModelInfo
from seatrial.core.tool import ToolOutput
from seatrial.core.usage import ModelCost, Usage, UsageTotal
from seatrial.providers.scripted import ScriptedModel, calls_many, fails, says, scripted

PRICED = ModelInfo("m", "M", "scripted", cost=ModelCost(input=1.0, output=10.0, cache_read=0.1, cache_write=2.0))


SOME = Usage(100, 10)


def call(*names: str, usage: Usage = SOME) -> AssistantMessage:
    return calls_many(*[(name, {}) for name in names], usage=usage)


async def test_edge_110_max_turns_three_means_exactly_three_requests() -> None:
    ran: list[int] = []
    model = scripted(*[call("a")] * 9)
    result = await Agent(model, tools=[tool("a", lambda *_: ran.append(1))], limits=Limits(max_turns=3)).run("go")
    assert (len(model.requests), len(ran), result.stop_reason, result.limit) == (3, 3, "limit", "max_turns")
    assert len(result.transcript.tool_results) == len(result.transcript.tool_calls) == 3


async def test_twenty_turns_are_the_limit_unless_said_otherwise() -> None:
    model = scripted(*[call("a")] * 30)
    assert (await Agent(model, tools=[tool("a")]).run("go")).turns == 20
    model = scripted(*[call("a")] * 30, says("ok"))
    assert (await Agent(model, tools=[tool("a")], limits=Limits(max_turns=None)).run("go")).text == "ok"


async def test_edge_111_calls_over_the_limit_are_refused_then_the_run_stops() -> None:
    model = scripted(call("a", "a", "a"), call("a", "a", "a", "a"), says("never"))
    result = await Agent(model, tools=[tool("a")], limits=Limits(max_tool_calls=5)).run("go")
    assert (result.stop_reason, result.limit, result.tool_call_count) == ("limit", "max_tool_calls", 5)
    assert [item.is_error for item in result.transcript.tool_results] == [False] * 5 + [True] * 2
    assert "limit of 5 tool calls" in result.transcript.tool_results[-1].text


async def test_calls_that_do_not_run_are_not_counted() -> None:
    model = scripted(call("a", "nope", "a"), call("a"), says("ok"))
    denies_first = Hooks(before_tool_call=lambda ahead: Deny() if ahead.call.id == "call_1_1" else None)
    result = await Agent(model, tools=[tool("a")], limits=Limits(max_tool_calls=2), hooks=denies_first).run("go")
    assert (result.stop_reason, result.tool_call_count) == ("stop", 2)


async def test_a_token_limit_stops_before_the_next_tool_runs() -> None:
    ran: list[int] = []
    model = scripted(call("a"), call("a"), says("never"))
    agent = Agent(model, tools=[tool("a", lambda *_: ran.append(1))], limits=Limits(max_tokens=200))
    result = await agent.run("go")
    assert (result.stop_reason, result.limit, ran) == ("limit", "max_tokens", [1])
    assert "max_tokens" in result.transcript.tool_results[-1].text


async def test_an_answer_that_reaches_the_limit_is_still_an_answer() -> None:
    result = await Agent(scripted(says("done", usage=Usage(500, 10))), limits=Limits(max_tokens=100)).run("go")
    assert (result.stop_reason, result.text) == ("stop", "done")


async def test_a_cost_limit_counts_what_tools_spend() -> None:
    spends = ToolOutput.of_text("x")
    spends = ToolOutput(spends.content, usage=Usage(1, 1), cost_usd=2.0)
    model = scripted(call("a"), call("a"), says("never"), info=PRICED)
    result = await Agent(model, tools=[tool("a", lambda *_: spends)], limits=Limits(max_cost_usd=1.0)).run("go")
    assert (result.stop_reason, result.limit, len(model.requests)) == ("limit", "max_cost_usd", 1)


async def test_a_cost_limit_without_prices_is_a_warning() -> None:
    events: list[AgentEvent] = []
    agent = Agent(scripted(call("a"), says("ok")), tools=[tool("a")], limits=Limits(max_cost_usd=1.0))
    result = await agent.run("go", sink=events.append)
    assert result.warnings == ("max_cost_usd cannot be kept: what scripted costs is not known",)
    assert [event.text for event in events if isinstance(event, WarningRaised)] == list(result.warnings)


async def test_edge_121_each_token_is_paid_once_at_its_own_price() -> None:
    usage = Usage(1000, 50, cache_read_tokens=800, cache_write_tokens=100)
    result = await Agent(scripted(says("x", usage=usage), info=PRICED)).run("go")
    assert result.cost_usd == pytest.approx((100 * 1.0 + 800 * 0.1 + 100 * 2.0 + 50 * 10.0) / 1e6)
    assert result.transcript.messages[-1].cost_usd == result.cost_usd


async def test_edge_122_failed_tries_are_counted_and_kept() -> None:
    tries = (FailedTry("503", 0.5), FailedTry("broke off", 1.0, Usage(100, 2)))
    reply = msgspec.structs.replace(says("ok", usage=Usage(100, 10)), failed_tries=tries)
    events: list[AgentEvent] = []
    result = await Agent(scripted(reply, info=PRICED)).run("go", sink=events.append)
    assert [record.error_message for record in result.requests] == ["503", "broke off", None]
    assert (result.usage.requests, result.usage.input_tokens, result.usage.output_tokens) == (3, 200, 12)
    assert result.cost_usd == pytest.approx((200 * 1.0 + 12 * 10.0) / 1e6)
    assert sum(isinstance(event, UsageCounted) for event in events) == 3
    assert result.requests[-1].duration_s is not None


async def test_p007_what_is_unknown_is_unknown_and_not_zero() -> None:
    unknown = await Agent(scripted(says("x"), info=PRICED)).run("go")
    assert (unknown.cost_usd, unknown.usage.unknown_requests) == (None, 1)
    unpriced = await Agent(scripted(says("x", usage=Usage(1, 1)))).run("go")
    assert (unpriced.cost_usd, unpriced.usage.unknown_requests) == (None, 0)
    mixed = await Agent(scripted(call("a"), says("x"), info=PRICED), tools=[tool("a")]).run("go")
    assert (mixed.cost_usd, mixed.usage.input_tokens) == (None, 100)


async def test_p007_a_request_that_was_refused_costs_nothing() -> None:
    result = await Agent(scripted(fails("401: no key"), info=PRICED)).run("go")
    assert result.cost_usd == 0.0


async def test_edge_097_what_a_tool_spends_is_in_the_totals_and_not_a_request() -> None:
    spends = ToolOutput.of_text("x")
    spends = ToolOutput(spends.content, usage=Usage(1000, 100), cost_usd=0.5)
    model = scripted(call("a"), says("ok", usage=Usage(200, 20)), info=PRICED)
    result = await Agent(model, tools=[tool("a", lambda *_: spends)]).run("go")
    assert result.usage == UsageTotal(1300, 130, requests=2)
    assert result.cost_usd == pytest.approx(0.5 + (300 * 1.0 + 30 * 10.0) / 1e6)
    assert result.transcript.tool_results[0].usage == Usage(1000, 100)


async def test_totals_are_the_sum_of_the_requests() -> None:
    replies = [call("a", usage=Usage(n, 1, n // 2, 1, 1)) for n in range(5)]
    model = ScriptedModel([*replies, says("ok", usage=Usage(5, 5))], info=PRICED)
    result = await Agent(model, tools=[tool("a")]).run("go")
    assert result.usage.input_tokens == sum(record.usage.input_tokens or 0 for record in result.requests)
    assert result.cost_usd == pytest.approx(sum(record.cost_usd or 0 for record in result.requests))
    assert [record.turn for record in result.requests] == [1, 2, 3, 4, 5, 6]


async def test_a_token_limit_without_counts_is_a_warning() -> None:
    result = await Agent(scripted(says("ok")), limits=Limits(max_tokens=10)).run("go")
    assert result.warnings == ("max_tokens cannot be kept: scripted does not say how many tokens it used",)
