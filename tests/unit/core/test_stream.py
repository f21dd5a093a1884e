"""Events as they happen."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from tests.support.simple_tools import Gate, tool

from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent
from seatrial.core.events import (
    AgentEvent,
    MessageEnded,
    MessageReasoningDelta,
    MessageStarted,
    MessageTextDelta,
    MessageToolCallDelta,
    RetryScheduled,
    RunEnded,
    RunStarted,
    ToolEnded,
    ToolStarted,
    ToolUpdated,
    TurnEnded,
    TurnStarted,
    UsageCounted,
    UserMessageAdded,
)
from seatrial.core.messages import AssistantMessage
from seatrial.core.model import ModelRequest, NoticeSink, RetryNotice, TextDelta
from seatrial.providers.scripted import calls, says, scripted


async def test_y025_every_step_is_told_in_order() -> None:
    async def reports(_: object, context: object) -> str:
        context.update("halfway")  # type: ignore[attr-defined]
        return "x"

    model = scripted(calls("a"), says("two words", reasoning="hm"))
    events = [event async for event in Agent(model, tools=[tool("a", reports)]).stream("go")]
    assert [type(event) for event in events] == [
        RunStarted,
        UserMessageAdded,
        TurnStarted,
        MessageStarted,
        MessageToolCallDelta,
        UsageCounted,
        MessageEnded,
        ToolStarted,
        ToolUpdated,
        ToolEnded,
        TurnEnded,
        TurnStarted,
        MessageStarted,
        MessageReasoningDelta,
        MessageTextDelta,
        MessageTextDelta,
        UsageCounted,
        MessageEnded,
        TurnEnded,
        RunEnded,
    ]
    assert "".join(event.text for event in events if isinstance(event, MessageTextDelta)) == "two words"


async def test_y025_events_survive_json() -> None:
    events = [event async for event in Agent(scripted(calls("a"), says("ok")), tools=[tool("a")]).stream("go")]
    written = [msgspec.json.encode(event) for event in events]
    assert [msgspec.json.decode(line, type=AgentEvent) for line in written] == events


async def test_y025_retries_are_told_as_they_are_scheduled() -> None:
    class Busy:
        provider = name = "busy"
        info = None

        async def respond(
            self, request: ModelRequest, *, on_notice: NoticeSink | None = None, signal: AbortSignal | None = None
        ) -> AssistantMessage:
            assert request.messages
            assert signal is not None
            assert on_notice is not None
            on_notice(RetryNotice(1, 0.5, "503"))
            on_notice(TextDelta("ok"))
            return says("ok")

        async def close(self) -> None: ...

    events = [event async for event in Agent(Busy()).stream("go")]
    assert RetryScheduled(1, 0.5, "503") in events


async def test_without_deltas_the_model_may_answer_whole() -> None:
    events: list[AgentEvent] = []
    await Agent(scripted(says("two words"))).run("go", sink=events.append, with_deltas=False)
    assert not any(isinstance(event, MessageTextDelta) for event in events)
    assert any(isinstance(event, MessageEnded) for event in events)


async def test_a_stream_gives_its_result_with_or_without_reading_it() -> None:
    stream = Agent(scripted("hello")).stream("go")
    async for event in stream:
        last = event
    assert isinstance(last, RunEnded)
    assert (await stream.result()).text == "hello"
    assert (await Agent(scripted("hello")).stream("go").result()).text == "hello"


async def test_edge_070_who_stops_reading_stops_the_run() -> None:
    gate = Gate()
    agent = Agent(scripted(calls("gate"), says("never")), tools=[gate.tool])
    async for event in agent.stream("go"):
        if isinstance(event, ToolStarted):
            break
    await asyncio.wait_for(gate.has_ended.wait(), 10)
    assert gate.was_cancelled


async def test_edge_070_leaving_the_block_waits_for_the_end() -> None:
    gate = Gate()
    agent = Agent(scripted(calls("gate"), says("never")), tools=[gate.tool])
    async with agent.stream("go") as stream:
        async for event in stream:
            if isinstance(event, ToolStarted):
                break
    assert gate.has_ended.is_set()
    assert (await stream.result()).stop_reason == "aborted"


async def test_edge_070_a_slow_reader_loses_no_text_and_few_events_wait() -> None:
    text = " ".join(f"word{n}" for n in range(10_000))
    stream = Agent(scripted(says(text))).stream("go")
    await stream.result()
    events = [event async for event in stream]
    assert "".join(event.text for event in events if isinstance(event, MessageTextDelta)) == text
    assert len(events) < 300


async def test_a_stream_never_begun_leaves_nothing_behind() -> None:
    model = scripted("hello")
    async with Agent(model).stream("go"):
        pass
    assert model.requests == []


async def test_a_session_streams_too() -> None:
    model = scripted("one", "two")
    session = Agent(model).session()
    for expected in ("one", "two"):
        stream = session.stream("go")
        async for _ in stream:
            pass
        assert (await stream.result()).text == expected
    assert len(model.requests[1].messages) == 3


async def test_a_listener_that_raises_is_a_mistake_of_the_program_and_leaves_no_task() -> None:
    def sink(event: AgentEvent) -> None:
        if isinstance(event, ToolStarted):
            raise LookupError("broken listener")

    gate = Gate("a")
    with pytest.raises(LookupError, match="broken listener"):
        await Agent(scripted(calls("a")), tools=[gate.tool]).run("go", sink=sink)
    assert len(asyncio.all_tasks()) == 1


async def test_a_stream_stops_with_the_callers_signal() -> None:
    gate, signal = Gate(), AbortSignal()
    stream = Agent(scripted(calls("gate")), tools=[gate.tool]).stream("go", signal=signal)
    async for event in stream:
        if isinstance(event, ToolStarted):
            signal.set()
    assert (await stream.result()).stop_reason == "aborted"
    assert not signal._listeners
