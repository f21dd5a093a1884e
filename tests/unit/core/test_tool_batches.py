"""The calls of one reply: side by side, in order, and never a crash."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
import time
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from tests.support.simple_tools import INTEGER, STRING, Gate, tool

from seatrial.core.agent import Agent
from seatrial.core.content import ImageContent, TextContent
from seatrial.core.events import AgentEvent, ToolEnded, ToolStarted, ToolUpdated
from seatrial.core.tool import ToolContext, ToolOutput
from seatrial.errors import AbortedError
from seatrial.providers.scripted import calls, calls_many, says, scripted


async def test_edge_071_results_come_in_the_order_of_the_calls_and_ends_as_they_happen() -> None:
    first, second, third = Gate("a"), Gate("b"), Gate("c")
    ended: list[str] = []

    def sink(event: AgentEvent) -> None:
        if isinstance(event, ToolEnded):
            ended.append(event.result.tool_name)
            {"b": third, "c": first}.get(event.result.tool_name, first).go.set()

    model = scripted(calls_many(("a", {}), ("b", {}), ("c", {})), says("ok"))
    agent = Agent(model, tools=[first.tool, second.tool, third.tool])
    run = asyncio.ensure_future(agent.run("go", sink=sink))
    for gate in (first, second, third):
        await gate.entered.wait()
    second.go.set()
    result = await run
    assert ended == ["b", "c", "a"]
    assert [item.tool_name for item in result.transcript.tool_results] == ["a", "b", "c"]


@pytest.mark.parametrize("is_async", [True, False])
async def test_edge_073_sequential_execution_never_runs_two_tools_at_once(is_async: bool) -> None:
    inside, most = 0, 0
    lock = threading.Lock()

    def enter(step: int) -> None:
        nonlocal inside, most
        with lock:
            inside += step
            most = max(most, inside)

    def blocking(*_: object) -> str:
        enter(1)
        time.sleep(0.01)
        enter(-1)
        return "ok"

    async def waiting(*_: object) -> str:
        enter(1)
        await asyncio.sleep(0)
        enter(-1)
        return "ok"

    model = scripted(calls_many(*[("a", {})] * 4), says("ok"))
    agent = Agent(model, tools=[tool("a", waiting if is_async else blocking)], tool_execution="sequential")
    result = await agent.run("go")
    assert most == 1
    assert len(result.transcript.tool_results) == 4


async def test_a_sequential_tool_is_a_barrier_among_parallel_ones() -> None:
    log: list[str] = []

    def logged(name: str) -> Any:
        async def run(*_: object) -> str:
            log.append(f"{name} in")
            await asyncio.sleep(0)
            log.append(f"{name} out")
            return name

        return run

    tools = [tool(name, logged(name)) for name in "abde"] + [tool("c", logged("c"), execution_mode="sequential")]
    model = scripted(calls_many(*[(name, {}) for name in "abcde"]), says("ok"))
    result = await Agent(model, tools=tools).run("go")
    assert log == ["a in", "b in", "a out", "b out", "c in", "c out", "d in", "e in", "d out", "e out"]
    assert [item.text for item in result.transcript.tool_results] == list("abcde")


async def test_no_more_tools_run_at_once_than_allowed() -> None:
    gates = [Gate(f"g{n}") for n in range(3)]
    started: list[str] = []

    def sink(event: AgentEvent) -> None:
        if isinstance(event, ToolStarted):
            started.append(event.call.name)

    model = scripted(calls_many(*[(f"g{n}", {}) for n in range(3)]), says("ok"))
    agent = Agent(model, tools=[gate.tool for gate in gates], max_parallel_tools=2)
    run = asyncio.ensure_future(agent.run("go", sink=sink))
    await gates[1].entered.wait()
    assert started == ["g0", "g1"]
    for gate in gates:
        gate.go.set()
    await run
    assert started == ["g0", "g1", "g2"]


class OddError(Exception):
    def __str__(self) -> str:
        raise ValueError("no words for it")


@pytest.mark.parametrize(
    ("error", "words"),
    [(ValueError("bad city"), "ValueError: bad city"), (SystemExit(3), "SystemExit: 3"), (OddError(), "OddError")],
)
@pytest.mark.parametrize("is_async", [True, False])
async def test_edge_074_a_tool_that_raises_is_an_error_result_and_the_others_are_kept(
    error: BaseException, words: str, is_async: bool
) -> None:
    def plain(*_: object) -> None:
        raise error

    async def coroutine(*_: object) -> None:
        raise error

    tools = [tool("a"), tool("b", coroutine if is_async else plain), tool("c")]
    model = scripted(calls_many(("a", {}), ("b", {}), ("c", {})), says("ok"))
    result = await Agent(model, tools=tools).run("go")
    results = result.transcript.tool_results
    assert [item.is_error for item in results] == [False, True, False]
    assert words in results[1].text
    assert result.text == "ok"


async def test_edge_075_a_tool_that_cancels_itself_is_an_error_of_that_tool_only() -> None:
    async def cancels(*_: object) -> None:
        raise asyncio.CancelledError

    model = scripted(calls_many(("a", {}), ("b", {}), ("c", {})), says("ok"))
    result = await Agent(model, tools=[tool("a", cancels), tool("b"), tool("c", cancels, timeout_s=5)]).run("go")
    assert [item.is_error for item in result.transcript.tool_results] == [True, False, True]
    assert result.text == "ok"


def test_edge_075_an_interrupt_goes_through() -> None:
    async def interrupts(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Agent(scripted(calls("a")), tools=[tool("a", interrupts)]).run_sync("go")


async def test_edge_076_blocking_tools_overlap_see_the_context_and_leave_the_loop_free() -> None:
    request = contextvars.ContextVar("request", default="unset")
    both_in = threading.Barrier(2, timeout=10)
    ticks = 0

    def blocking(*_: object) -> str:
        both_in.wait()
        return request.get()

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    request.set("req-7")
    ticking = asyncio.ensure_future(tick())
    model = scripted(calls_many(("a", {}), ("a", {})), says("ok"))
    result = await Agent(model, tools=[tool("a", blocking)]).run("go")
    ticking.cancel()
    assert [item.text for item in result.transcript.tool_results] == ["req-7", "req-7"]
    assert ticks > 2


async def test_edge_077_a_tool_that_takes_too_long_is_cancelled_and_told() -> None:
    gate = Gate("slow", timeout_s=0.02)
    result = await Agent(scripted(calls("slow"), says("ok")), tools=[gate.tool]).run("go")
    told = result.transcript.tool_results[0]
    assert "timed out after 0.02 s" in told.text
    assert (told.is_error, told.was_executed, gate.was_cancelled, gate.has_ended.is_set()) == (True, True, True, True)


async def test_edge_077_a_tool_that_holds_the_event_loop_beyond_its_time_has_timed_out_once_it_returns() -> None:
    async def blocking(*_: object) -> str:
        await asyncio.sleep(0)
        _hold_the_loop(0.03)
        return "late"

    agent = Agent(scripted(calls("slow"), says("ok")), tools=[tool("slow", blocking, timeout_s=0.02)])
    told = (await agent.run("go")).transcript.tool_results[0]
    assert (told.is_error, told.text) == (True, "Error: timed out after 0.02 s")


async def test_edge_077_a_tool_that_others_hold_up_has_not_timed_out() -> None:
    both_in = asyncio.Barrier(2)

    async def blocking(*_: object) -> str:
        await both_in.wait()
        _hold_the_loop(0.6)
        return "done"

    async def waiting(*_: object) -> str:
        await both_in.wait()
        return "in time"

    model = scripted(calls_many(("waiting", {}), ("blocking", {})), says("ok"))
    tools = [tool("waiting", waiting, timeout_s=0.5), tool("blocking", blocking)]
    told = (await Agent(model, tools=tools).run("go")).transcript.tool_results[0]
    assert told.text == "in time"


def _hold_the_loop(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


async def test_edge_077_the_late_value_of_a_thread_is_dropped() -> None:
    go = threading.Event()
    agent = Agent(scripted(calls("slow"), says("ok")), tools=[tool("slow", lambda *_: go.wait(10), timeout_s=0.02)])
    result = await agent.run("go")
    go.set()
    assert "timed out after 0.02 s" in result.transcript.tool_results[0].text
    assert result.text == "ok"


async def test_edge_077_a_tool_that_will_not_stop_is_reported_and_the_run_goes_on() -> None:
    gate = Gate("deaf", is_stubborn=True, timeout_s=0.01)
    result = await Agent(scripted(calls("deaf"), says("ok")), tools=[gate.tool]).run("go")
    assert result.text == "ok"
    assert result.warnings == ("deaf timed out and has not stopped yet",)
    gate.go.set()
    await gate.has_ended.wait()


@dataclass
class Order:
    number: int
    price: Decimal


class Loop(list[object]):
    pass


def circle() -> Loop:
    loop = Loop()
    loop.append(loop)
    return loop


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("as it is", "as it is"),
        ({"a": [1, None, True]}, '{"a": [1, null, true]}'),
        (Order(1, Decimal("1.10")), '{"number": 1, "price": "1.10"}'),
        (3, "3"),
        ([TextContent("x"), TextContent("y")], "xy"),
        (ToolOutput.of_text("out"), "out"),
        (object, "<class 'object'>"),
    ],
)
async def test_edge_078_every_value_becomes_something_a_model_can_read(value: object, text: str) -> None:
    result = await Agent(scripted(calls("a"), says("ok")), tools=[tool("a", lambda *_: value)]).run("go")
    assert (result.transcript.tool_results[0].text, result.transcript.tool_results[0].is_error) == (text, False)


@pytest.mark.parametrize("value", [circle(), {"x": object()}, {(1, 2): 3}, float("nan"), b"\xff", {1, 2}])
async def test_edge_078_no_value_and_no_details_break_the_run_or_its_json(value: object) -> None:
    tools = [tool("a", lambda *_: value), tool("b", lambda *_: ToolOutput.of_text("b", details=value))]
    result = await Agent(scripted(calls_many(("a", {}), ("b", {})), says("ok")), tools=tools).run("go")
    assert result.text == "ok"
    assert type(result).from_json(result.to_json()).text == "ok"


async def test_edge_078_a_picture_stays_a_picture() -> None:
    picture = ImageContent("aGk=", "image/png")
    result = await Agent(scripted(calls("a"), says("ok")), tools=[tool("a", lambda *_: picture)]).run("go")
    assert result.transcript.tool_results[0].content == (picture,)


async def test_edge_079_a_long_result_keeps_head_and_tail_and_says_so() -> None:
    text = "HEAD" + "x" * 5_000_000 + "TAIL"
    result = await Agent(scripted(calls("a"), says("ok")), tools=[tool("a", lambda *_: text)]).run("go")
    told = result.transcript.tool_results[0]
    assert len(told.text) < 51_000
    assert told.text.startswith("HEAD")
    assert told.text.endswith("TAIL")
    assert "5,000,008" in told.text
    assert (told.details, told.left_out_chars) == (text, 5_000_008 - 50_000)


async def test_edge_079_the_limit_is_shared_among_the_texts_of_a_result() -> None:
    content = (TextContent("a" * 300), ImageContent("aGk=", "image/png"), TextContent("b" * 100))
    output = ToolOutput(content, details={"mine": 1})
    agent = Agent(scripted(calls("a"), says("ok")), tools=[tool("a", lambda *_: output)], result_limit_chars=100)
    told = (await agent.run("go")).transcript.tool_results[0]
    first, picture, last = told.content
    assert (first.text.count("a"), last.text.count("b")) >= (75, 25)
    assert (picture, told.left_out_chars) == (content[1], 300)
    assert told.details == {"mine": 1, "text": "a" * 300 + "b" * 100}


async def test_edge_079_a_tool_has_a_limit_of_its_own() -> None:
    long = tool("long", lambda *_: "x" * 1000)
    long.max_output_chars = 10
    agent = Agent(scripted(calls_many(("long", {}), ("other", {})), says("ok")), tools=[long, tool("other")])
    first, other = (await agent.run("go")).transcript.tool_results
    assert (first.text.count("x"), first.left_out_chars, other.left_out_chars) == (10, 990, 0)


async def test_p008_details_that_cannot_be_shown_do_not_end_the_run() -> None:
    class Shy:
        def __str__(self) -> str:
            raise ValueError("not today")

    output = ToolOutput.of_text("fine", details=Shy())
    result = await Agent(scripted(calls("a"), says("ok")), tools=[tool("a", lambda *_: output)]).run("go")
    assert (result.text, result.transcript.tool_results[0].text) == ("ok", "fine")
    assert "ValueError: not today" in result.transcript.tool_results[0].details


async def test_edge_095_a_tool_that_is_gone_when_its_call_is_approved_is_unknown() -> None:
    from seatrial.core.hooks import Allow, Ask, Hooks

    before = Agent(scripted(calls("a")), tools=[tool("a")], hooks=Hooks(before_tool_call=lambda _: Ask()))
    result = await before.run("go")
    after = Agent(scripted(says("ok")), tools=[tool("b")])
    result = await after.resume(result, {result.pending_approvals[0].call.id: Allow()})
    assert "There is no tool named 'a'" in result.transcript.tool_results[0].text


async def test_edge_096_a_tool_may_call_another_with_the_same_checks() -> None:
    answers: list[ToolOutput] = []

    async def outer(_: dict[str, Any], context: ToolContext) -> str:
        assert context.run_tool is not None
        for name, arguments in (("inner", {"n": "2"}), ("inner", {}), ("nope", {})):
            answers.append(await context.run_tool(name, arguments))
        return "done"

    inner = tool("inner", lambda a, _: a["n"] + 1, properties={"n": INTEGER})
    result = await Agent(scripted(calls("outer"), says("ok")), tools=[tool("outer", outer), inner]).run("go")
    good, missing, unknown = answers
    assert good.content == (TextContent("3"),)
    assert [answer.is_error for answer in answers] == [False, True, True]
    assert missing.content == (TextContent("Missing required arguments: n"),)
    assert "There is no tool named 'nope'" in unknown.content[0].text
    assert len(result.transcript.tool_results) == 1
    assert result.tool_call_count == 2


async def test_progress_is_told_in_order_also_from_a_thread() -> None:
    told: list[str] = []

    def sink(event: AgentEvent) -> None:
        match event:
            case ToolUpdated(_, text):
                told.append(text)
            case ToolEnded():
                told.append("end")

    def blocking(_: object, context: ToolContext) -> None:
        context.update("half")
        context.update("whole")

    async def waiting(_: object, context: ToolContext) -> None:
        context.update("half")
        context.update("whole")

    for function in (blocking, waiting):
        await Agent(scripted(calls("a"), says("ok")), tools=[tool("a", function)]).run("go", sink=sink)
    assert told == ["half", "whole", "end"] * 2


async def test_a_tool_cannot_change_the_arguments_in_the_history() -> None:
    def spoils(arguments: dict[str, Any], _: object) -> None:
        arguments["tags"].append("spoilt")
        arguments.clear()

    spoiler = tool("a", spoils, properties={"tags": {"type": "array", "items": STRING}})
    result = await Agent(scripted(calls("a", tags=["x"]), says("ok")), tools=[spoiler]).run("go")
    assert result.transcript.tool_calls[0].arguments == {"tags": ["x"]}


async def test_pending_ids_are_there_while_tools_run_and_gone_afterwards() -> None:
    gate = Gate()
    session = Agent(scripted(calls("gate"), says("ok")), tools=[gate.tool]).session()
    run = asyncio.ensure_future(session.run("go"))
    await gate.entered.wait()
    state = session.state
    assert state is not None
    assert state.pending_tool_call_ids == ["call_1_1"]
    gate.go.set()
    await run
    assert state.pending_tool_call_ids == []


async def test_p008_whatever_one_tool_does_the_others_and_the_run_go_on() -> None:
    def leaves(*_: object) -> None:
        raise SystemExit(1)

    async def exits(*_: object) -> None:
        raise SystemExit(1)

    def odd(*_: object) -> object:
        return {"me": object(), 1: float("nan")}

    tools = [tool("leaves", leaves), tool("exits", exits), tool("odd", odd), tool("fine")]
    model = scripted(calls_many(*[(name, {}) for name in ("leaves", "exits", "odd", "fine")]), says("ok"))
    result = await Agent(model, tools=tools).run("go")
    assert [item.is_error for item in result.transcript.tool_results] == [True, True, False, False]
    assert (result.text, result.transcript.tool_results[3].text) == ("ok", "fine")


async def test_a_tool_that_goes_on_after_its_time_can_call_no_other() -> None:
    go, errors = asyncio.Event(), []

    async def deaf(_: object, context: ToolContext) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await go.wait()
        assert context.run_tool is not None
        try:
            await context.run_tool("fine", {})
        except AbortedError as error:
            errors.append(error)
        done.set()

    done = asyncio.Event()
    model = scripted(calls("deaf"), says("ok"))
    await Agent(model, tools=[tool("deaf", deaf, timeout_s=0.01), tool("fine")]).run("go")
    go.set()
    await asyncio.wait_for(done.wait(), 10)
    assert len(errors) == 1
