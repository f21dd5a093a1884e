"""Stopping a run from any state."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from tests.support.simple_tools import Gate, tool

from seatrial.core import waiting
from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent, RunResult
from seatrial.core.events import AgentEvent, RunEnded, ToolEnded, ToolStarted
from seatrial.core.hooks import Hooks
from seatrial.core.limits import Limits
from seatrial.core.messages import AssistantMessage
from seatrial.core.model import ModelInfo, ModelRequest, NoticeSink, ReasoningDelta, TextDelta
from seatrial.core.tool import ToolContext
from seatrial.errors import AbortedError
from seatrial.providers.scripted import calls, calls_many, says, scripted

# The promise is 100 ms; the rest is room for a busy machine.
SOON_S = 0.25


class HangingModel:
    """Streams two pieces and then hangs; ``is_deaf`` ignores both the signal and cancellation until released."""

    provider = "test"
    name = "hanging"
    info: ModelInfo | None = None

    def __init__(self, *, is_deaf: bool = False, listens: bool = False, stops_itself: bool = False) -> None:
        self.stops_itself = stops_itself
        self.entered = asyncio.Event()
        self.release = asyncio.Event()
        self.was_cancelled = False
        self.requests: list[ModelRequest] = []
        self._is_deaf = is_deaf
        self._listens = listens

    async def respond(
        self, request: ModelRequest, *, on_notice: NoticeSink | None = None, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        self.requests.append(request)
        if on_notice is not None:
            on_notice(ReasoningDelta("hm"))
            on_notice(TextDelta("The answer "))
            on_notice(TextDelta("is"))
        self.entered.set()
        if self._listens and signal is not None:
            await signal.wait()
            return says("The answer is", stop_reason="aborted")
        while True:
            try:
                await self.release.wait()
                return says("late")
            except asyncio.CancelledError:
                self.was_cancelled = True
                if not self._is_deaf:
                    raise

    async def close(self) -> None:
        pass


async def aborted(run: Callable[[AbortSignal], Awaitable[RunResult]], entered: asyncio.Event) -> RunResult:
    """The result of a run that is aborted once it is in the state looked at, and that came soon."""
    signal = AbortSignal()
    task = asyncio.ensure_future(run(signal))
    await asyncio.wait_for(entered.wait(), 10)
    started = time.perf_counter()
    signal.set()
    result = await asyncio.wait_for(task, 10)
    assert time.perf_counter() - started < SOON_S
    assert result.stop_reason == "aborted"
    assert len(result.transcript.tool_calls) == len(result.transcript.tool_results)
    return result


@pytest.mark.parametrize("options", [{}, {"is_deaf": True}, {"listens": True}, {"listens": True, "stops_itself": True}])
async def test_y022_out_of_a_waiting_model_call_with_the_partial_text(options: dict[str, bool]) -> None:
    model = HangingModel(**options)
    events: list[AgentEvent] = []
    result = await aborted(lambda signal: Agent(model).run("go", signal=signal, sink=events.append), model.entered)
    assert result.text == "The answer is"
    assert isinstance(events[-1], RunEnded)
    model.release.set()


async def test_edge_099_nothing_of_an_aborted_reply_is_sent_again() -> None:
    model = HangingModel()
    result = await aborted(lambda signal: Agent(model).run("go", signal=signal, sink=ignore_event), model.entered)
    assert model.was_cancelled
    again = scripted(says("ok"))
    await Agent(again).run("again", history=result.transcript.messages)
    assert [message.text for message in again.requests[0].messages] == ["go", "again"]


def ignore_event(_: AgentEvent) -> None:
    return None


async def test_y022_out_of_a_running_tool_and_its_value_is_dropped() -> None:
    gate = Gate()
    agent = Agent(scripted(calls("gate"), says("never")), tools=[gate.tool])
    result = await aborted(lambda signal: agent.run("go", signal=signal), gate.entered)
    told = result.transcript.tool_results[0]
    assert (told.is_error, told.was_executed, gate.was_cancelled, gate.has_ended.is_set()) == (True, True, True, True)
    assert "aborted" in told.text


async def test_y022_out_of_a_blocking_thread() -> None:
    entered, go = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def blocking(*_: object) -> None:
        loop.call_soon_threadsafe(entered.set)
        go.wait(10)

    agent = Agent(scripted(calls("t")), tools=[tool("t", blocking)])
    await aborted(lambda signal: agent.run("go", signal=signal), entered)
    go.set()


@pytest.mark.parametrize("place", ["before_tool_call", "after_tool_call", "before_request"])
@pytest.mark.parametrize("is_async", [True, False])
async def test_y022_out_of_a_hook(place: str, is_async: bool) -> None:
    entered, go = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    async def waits(_: object) -> None:
        entered.set()
        await asyncio.Event().wait()

    def blocks(_: object) -> None:
        loop.call_soon_threadsafe(entered.set)
        go.wait(10)

    hooks = Hooks(**{place: waits if is_async else blocks})
    agent = Agent(scripted(calls("t"), says("never")), tools=[tool("t")], hooks=hooks)
    await aborted(lambda signal: agent.run("go", signal=signal), entered)
    go.set()


async def test_y022_out_of_a_tool_source() -> None:
    class Source:
        name = "slow"
        entered = asyncio.Event()

        async def current_tools(self) -> list[Any]:
            self.entered.set()
            await asyncio.Event().wait()
            return []

    source = Source()
    model = scripted(says("never"))
    await aborted(lambda signal: Agent(model, tool_sources=[source]).run("go", signal=signal), source.entered)
    assert model.requests == []


async def test_y022_out_of_a_queue_for_the_session() -> None:
    gate = Gate()
    session = Agent(scripted(calls("gate"), says("ok")), tools=[gate.tool]).session()
    first = asyncio.ensure_future(session.run("one"))
    await gate.entered.wait()
    second = await aborted(lambda signal: _aborted_in_line(session.run("two", signal=signal)), gate.entered)
    assert second.requests == ()
    gate.go.set()
    assert (await first).text == "ok"


async def _aborted_in_line(run: Awaitable[RunResult]) -> RunResult:
    result = await run
    return RunResult(result.stop_reason, requests=result.requests)


async def test_y022_from_another_thread() -> None:
    gate = Gate()
    signal = AbortSignal()
    agent = Agent(scripted(calls("gate")), tools=[gate.tool])
    task = asyncio.ensure_future(agent.run("go", signal=signal))
    await gate.entered.wait()
    threading.Thread(target=signal.set).start()
    assert (await asyncio.wait_for(task, 10)).stop_reason == "aborted"


async def test_edge_098_a_finished_result_is_kept_when_its_sibling_is_aborted() -> None:
    quick, slow = tool("a"), Gate("b")
    ended = asyncio.Event()

    def sink(event: AgentEvent) -> None:
        if isinstance(event, ToolEnded):
            ended.set()

    agent = Agent(scripted(calls_many(("a", {}), ("b", {}))), tools=[quick, slow.tool])
    result = await aborted(lambda signal: agent.run("go", signal=signal, sink=sink), ended)
    kept, closed = result.transcript.tool_results
    assert (kept.text, kept.is_error, closed.is_error) == ("a", False, True)


async def test_edge_098_a_cancelled_task_leaves_a_closed_history_and_the_next_turn_works() -> None:
    slow = Gate("b")
    model = scripted(calls_many(("a", {}), ("b", {})), says("next"))
    session = Agent(model, tools=[tool("a"), slow.tool]).session()
    task = asyncio.ensure_future(session.run("go"))
    await slow.entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert slow.was_cancelled
    assert slow.has_ended.is_set()
    assert (await session.run("now this")).text == "next"
    sent = model.requests[1].messages
    assert [message.role for message in sent] == ["user", "assistant", "tool", "tool", "user"]
    assert (sent[2].text, sent[2].is_error, sent[3].is_error) == ("a", False, True)


@pytest.mark.parametrize("stops_itself", [False, True])
async def test_a_cancelled_request_leaves_its_partial_text_in_the_session(stops_itself: bool) -> None:
    model = HangingModel(stops_itself=stops_itself)
    session = Agent(model).session()
    task = asyncio.ensure_future(session.run("go", sink=ignore_event))
    await model.entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert session.messages[-1].text == "The answer is"
    assert session.messages[-1].stop_reason == "aborted"


@pytest.mark.parametrize("is_watched", [False, True])
async def test_a_request_that_cancels_itself_is_a_failed_reply_and_not_the_end_of_the_task(is_watched: bool) -> None:
    class SelfCancelling(HangingModel):
        async def respond(self, *_: object, **__: object) -> AssistantMessage:
            raise asyncio.CancelledError

    result = await Agent(SelfCancelling(stops_itself=not is_watched)).run("go")
    assert result.stop_reason == "error"
    assert result.error_message == "a request to hanging was cancelled from within"


@pytest.mark.parametrize("times", [1, 2])
async def test_edge_101_a_signal_set_before_the_run_means_no_request(times: int) -> None:
    signal = AbortSignal()
    for _ in range(times):
        signal.set()
    model = scripted(says("never"))
    result = await Agent(model).run("go", signal=signal)
    assert (result.stop_reason, model.requests, result.cost_usd) == ("aborted", [], 0.0)


async def test_edge_101_a_signal_set_after_the_end_does_nothing() -> None:
    signal = AbortSignal()
    result = await Agent(scripted(says("ok"))).run("go", signal=signal)
    signal.set()
    signal.set("again")
    assert (result.stop_reason, signal.reason) == ("stop", "aborted")


async def test_edge_103_a_tool_that_will_not_stop_is_reported_and_watched(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(waiting, "GRACE_S", 0.01)
    logged = asyncio.Event()
    monkeypatch.setattr(waiting.logger, "handle", lambda record: (caplog.records.append(record), logged.set()))
    gate = Gate("deaf", is_stubborn=True)
    events: list[AgentEvent] = []
    agent = Agent(scripted(calls("deaf")), tools=[gate.tool])
    result = await aborted(lambda signal: agent.run("go", signal=signal, sink=events.append), gate.entered)
    assert result.warnings == ("deaf was aborted and has not stopped yet",)
    await asyncio.wait_for(logged.wait(), 10)
    assert "deaf was told to stop and still runs" in caplog.records[-1].getMessage()
    gate.go.set()
    await gate.has_ended.wait()
    assert isinstance(events[-1], RunEnded)
    assert caplog.records[-1].levelno == logging.WARNING


async def test_events_stay_paired_and_the_end_is_last_after_an_abort() -> None:
    updates: list[ToolContext] = []

    async def keeps_context(_: object, context: ToolContext) -> None:
        updates.append(context)
        entered.set()
        await asyncio.Event().wait()

    entered = asyncio.Event()
    events: list[AgentEvent] = []
    tools = [tool("a", keeps_context), tool("b", execution_mode="sequential")]
    agent = Agent(scripted(calls_many(("a", {}), ("b", {}))), tools=tools)
    await aborted(lambda signal: agent.run("go", signal=signal, sink=events.append), entered)
    updates[0].update("too late")
    started = [event.call.id for event in events if isinstance(event, ToolStarted)]
    ended = [event.result.tool_call_id for event in events if isinstance(event, ToolEnded)]
    assert started == ended == ["call_1_1", "call_1_2"]
    assert isinstance(events[-1], RunEnded)


async def test_edge_113_the_time_limit_stops_a_tool_like_an_abort() -> None:
    gate = Gate()
    agent = Agent(scripted(calls("gate"), says("never")), tools=[gate.tool], limits=Limits(timeout_s=0.02))
    result = await asyncio.wait_for(agent.run("go"), 10)
    assert (result.stop_reason, result.limit) == ("limit", "timeout_s")
    assert result.transcript.tool_results[0].is_error
    assert gate.was_cancelled


async def test_edge_113_code_that_held_the_event_loop_beyond_the_time_limit_ends_the_run_by_it() -> None:
    async def blocks(_ahead: object) -> None:
        end = time.perf_counter() + 0.03
        while time.perf_counter() < end:
            pass

    tools, hooks = [tool("t")], Hooks(before_tool_call=blocks)
    agent = Agent(scripted(calls("t"), says("late")), tools=tools, hooks=hooks, limits=Limits(timeout_s=0.02))
    result = await agent.run("go")
    assert (result.stop_reason, result.limit) == ("limit", "timeout_s")
    assert result.duration_s >= 0.03


async def test_the_reason_of_an_abort_is_told() -> None:
    signal = AbortSignal()
    signal.set("the user left")
    result = await Agent(scripted(says("never"))).run("go", signal=signal)
    assert (result.stop_reason, result.error_message) == ("aborted", "the user left")


async def test_a_child_signal_follows_its_parent_and_not_the_reverse() -> None:
    parent = AbortSignal()
    child, other = AbortSignal(parent), AbortSignal(parent)
    other.set("mine")
    assert not parent.is_set
    parent.set("all")
    assert (child.reason, other.reason) == ("all", "mine")
    assert AbortSignal(parent).is_set
    with pytest.raises(AbortedError, match="all"):
        child.raise_if_set()


async def test_a_long_lived_signal_does_not_keep_finished_runs() -> None:
    signal = AbortSignal()
    agent = Agent(scripted(*[says("ok")] * 5))
    for _ in range(5):
        await agent.run("go", signal=signal)
    assert not signal._listeners


async def test_racing_work_that_cancels_itself_is_no_cancellation_of_the_racer() -> None:
    async def cancels() -> None:
        raise asyncio.CancelledError

    with pytest.raises(RuntimeError, match="from within"):
        await AbortSignal().race(cancels())


async def test_a_sync_run_is_aborted_from_a_thread_that_waits_for_nothing() -> None:
    signal, entered = AbortSignal(), threading.Event()
    go = threading.Event()

    def blocking(*_: object) -> None:
        entered.set()
        go.wait(10)

    results: list[RunResult] = []
    agent = Agent(scripted(calls("t")), tools=[tool("t", blocking)])
    thread = threading.Thread(target=lambda: results.append(agent.run_sync("go", signal=signal)))
    thread.start()
    entered.wait(10)
    signal.set()
    await asyncio.to_thread(thread.join, 10)
    assert results[0].stop_reason == "aborted"
    go.set()
