"""Prompts as tools: what they ask, what they cost, what becomes of a model that fails."""

import asyncio
from typing import Any

import pytest

from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent
from seatrial.core.events import ToolUpdated, UsageCounted
from seatrial.core.limits import Limits
from seatrial.core.model import ModelInfo, Sampling
from seatrial.core.result import RunResult
from seatrial.core.usage import ModelCost, Usage
from seatrial.providers.scripted import ScriptedModel, calls, fails, says, scripted
from seatrial.tools.prompt import PromptTool

PRICED = ModelInfo("m", "m", "scripted", cost=ModelCost(input=1_000_000, output=2_000_000))


def prompt_tool(
    model: ScriptedModel, template: str = "Shorten: {{text}}", *needed: str, **properties: Any
) -> PromptTool:
    properties = properties or {"text": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": list(needed)}
    return PromptTool(name="shorten", description="Shortens.", template=template, parameters=schema, model=model)


async def ask(tool: PromptTool, limits: Limits | None = None, **arguments: Any) -> RunResult:
    outer = scripted(calls("shorten", **arguments), calls("shorten", **arguments), says("done"), info=PRICED)
    return await Agent(outer, system_prompt="Outer.", tools=[tool], limits=limits).run("go")


async def test_h009_the_model_is_asked_the_filled_template_and_nothing_else() -> None:
    inner = scripted(says("short"), says("short"))
    result = await ask(prompt_tool(inner), text="a long text")
    asked = inner.requests[0]
    assert (asked.system_prompt, asked.tools) == ("", ())
    assert [message.text for message in asked.messages] == ["Shorten: a long text"]
    assert result.transcript.tool_results[0].text == "short"


@pytest.mark.parametrize("template", ["{a} and {b}", "{{a}} and {{ b }}", "{{$a}} and {{ $b }}"])
async def test_h009_all_three_spellings_of_a_placeholder_mean_the_same(template: str) -> None:
    tool = prompt_tool(scripted(), template, a={"type": "string"}, b={"type": "string"})
    assert tool.prompt({"a": "one", "b": "two"}) == "one and two"


async def test_h009_values_are_data() -> None:
    tool = prompt_tool(scripted(), '{{a}} {{b}} {"json": true}', a={"type": "string"}, b={"type": "string"})
    assert tool.prompt({"a": "{{b}} {b} {{$b}} \\1", "b": "{a}"}) == '{{b}} {b} {{$b}} \\1 {a} {"json": true}'


async def test_values_that_are_no_text_are_json_and_what_is_left_out_is_its_default_or_nothing() -> None:
    properties = {"n": {"type": "array"}, "tone": {"type": "string", "default": "dry"}, "more": {"type": "string"}}
    tool = prompt_tool(scripted(), "{{n}}|{{tone}}|{{more}}", **properties)
    assert tool.prompt({"n": [1, None, "é"]}) == '[1, null, "é"]|dry|'
    assert tool.prompt({"n": [], "tone": None}) == "[]||"


async def test_h009_usage_and_cost_of_the_request_count_for_the_run() -> None:
    inner = scripted(says("short", usage=Usage(10, 5)), says("short", usage=Usage(10, 5)), info=PRICED)
    result = await ask(prompt_tool(inner), text="x")
    first, second = result.transcript.tool_results
    assert (first.usage, first.cost_usd) == (Usage(10, 5, 0, 0, 0), 20.0)
    assert (result.usage.input_tokens, result.usage.output_tokens) == (20, 10)
    assert second.cost_usd == 20.0


async def test_h009_a_budget_is_spent_by_prompts_too() -> None:
    inner = scripted(says("short", usage=Usage(10, 5)), info=PRICED)
    result = await ask(prompt_tool(inner), Limits(max_cost_usd=15), text="x")
    assert (result.stop_reason, result.limit) == ("limit", "max_cost_usd")


async def test_a_budget_that_cannot_be_kept_is_told() -> None:
    result = await ask(prompt_tool(scripted(says("a"), says("b"))), Limits(max_cost_usd=15, max_tokens=9), text="x")
    assert "max_cost_usd cannot be kept: what shorten spent is not known" in result.warnings
    assert "max_tokens cannot be kept: shorten does not say how many tokens it used" in result.warnings


async def test_the_inner_request_is_told_and_kept() -> None:
    events: list[Any] = []
    inner = scripted(says("short", usage=Usage(10, 5)), info=PRICED)
    outer = scripted(calls("shorten", text="x"), says("done"))
    result = await Agent(outer, tools=[prompt_tool(inner)]).run("go", sink=events.append)
    assert [event.text for event in events if isinstance(event, ToolUpdated)] == ["asks scripted scripted: Shorten: x"]
    assert UsageCounted(Usage(10, 5, 0, 0, 0), 20.0) in events
    details = result.transcript.tool_results[0].details
    question, answer = details["transcript"]["messages"]
    assert (question["role"], question["content"]) == ("user", "Shorten: x")
    assert (answer["role"], answer["content"][0]["text"]) == ("assistant", "short")
    (request,) = details["requests"]
    assert (request["provider"], request["usage"]["input_tokens"], request["cost_usd"]) == ("scripted", 10, 20.0)
    assert RunResult.from_json(result.to_json()).transcript.tool_results[0].details == details


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (fails("401: wrong key"), "shorten did not finish: error (401: wrong key)"),
        (says("I cannot", stop_reason="refusal"), "shorten did not finish: refusal (I cannot)"),
        (says("and then", stop_reason="length"), "shorten did not finish: length\nIts last words: and then"),
        (RuntimeError("no"), "RuntimeError: no"),
    ],
)
async def test_a_model_that_fails_is_an_error_of_the_tool_and_the_run_goes_on(reply: Any, why: str) -> None:
    result = await ask(prompt_tool(scripted(reply, says("short"))), text="x")
    failed, well = result.transcript.tool_results
    assert (failed.is_error, well.is_error, result.text) == (True, False, "done")
    assert why in failed.text


async def test_a_prompt_that_says_nothing_is_not_sent() -> None:
    inner = scripted()
    result = await ask(prompt_tool(inner, "{{text}}"), text=" ")
    assert "the filled prompt is empty" in result.transcript.tool_results[0].text
    assert inner.requests == []


async def test_missing_arguments_are_named() -> None:
    result = await ask(prompt_tool(scripted(), "{{text}}", "text"))
    assert result.transcript.tool_results[0].text == "Missing required arguments: text"


async def test_y022_a_stop_reaches_the_inner_request() -> None:
    asked = asyncio.Event()
    was_cancelled = asyncio.Event()

    async def hang(_request: Any) -> Any:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            was_cancelled.set()

    signal = AbortSignal()
    outer = scripted(calls("shorten", text="x"), says("done"))
    run = asyncio.ensure_future(Agent(outer, tools=[prompt_tool(scripted(hang))]).run("go", signal=signal))
    await asyncio.wait_for(asked.wait(), 10)
    signal.set()
    result = await asyncio.wait_for(run, 10)
    await asyncio.wait_for(was_cancelled.wait(), 10)
    assert result.stop_reason == "aborted"
    assert result.transcript.tool_results[0].is_error


async def test_its_own_sampling_is_sent() -> None:
    inner = scripted(says("short"))
    schema = {"type": "object", "properties": {}}
    tool = PromptTool(
        name="shorten", description="d", template="Go", parameters=schema, model=inner, sampling=Sampling(max_tokens=7)
    )
    await ask(tool)
    assert inner.requests[0].sampling == Sampling(max_tokens=7)
