"""What holds for every run, whatever the model, the tools, the hooks and the user do."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.simple_tools import INTEGER, tool

from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent, RunResult
from seatrial.core.content import TextContent, ToolCall
from seatrial.core.events import (
    AgentEvent,
    MessageEnded,
    MessageStarted,
    RunEnded,
    RunStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from seatrial.core.history import repair_history
from seatrial.core.hooks import Allow, Answer, Ask, CallAhead, Deny, Hooks, Modify
from seatrial.core.limits import Limits
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage
from seatrial.core.tool import ToolContext, ToolOutput
from seatrial.providers.scripted import ScriptedModel, says


async def fine(arguments: dict[str, Any], _: ToolContext) -> str:
    return f"fine {arguments}"


async def yields(_: dict[str, Any], context: ToolContext) -> str:
    for step in range(3):
        context.update(str(step))
        await asyncio.sleep(0)
    return "at last"


async def breaks(_: dict[str, Any], __: ToolContext) -> str:
    raise ValueError("broken")


async def cancels(_: dict[str, Any], __: ToolContext) -> str:
    raise asyncio.CancelledError


async def ends(_: dict[str, Any], __: ToolContext) -> ToolOutput:
    return ToolOutput((), should_terminate=True)


async def nests(_: dict[str, Any], context: ToolContext) -> str:
    assert context.run_tool is not None
    return str((await context.run_tool("yields", {"n": 1})).content)


FUNCTIONS = [fine, yields, breaks, cancels, ends, nests]
TOOLS = [
    tool(function.__name__, function, properties={"n": INTEGER}, required=[], execution_mode=mode)
    for function, mode in zip(FUNCTIONS, ["parallel", "parallel", "sequential"] * 2, strict=True)
]
DECISIONS = [None] * 8 + [Allow(), Deny("no"), Modify({"n": "2"}), Modify({"n": "x"}), Answer("cached"), Ask("?")]

names = st.sampled_from([function.__name__ for function in FUNCTIONS] * 2 + ["nowhere", "odd.name"])
tool_calls = st.builds(
    ToolCall,
    st.sampled_from(["", "a", "b", "a_2"]),
    names,
    st.sampled_from([{}, {"n": 1}, {"n": "3"}, {"n": 4}, {"n": "x"}, {"m": "\ud83d"}]),
    arguments_error=st.sampled_from([None] * 9 + ["cut off"]),
)
words = st.builds(TextContent, st.sampled_from(["", "word"]))
working = st.builds(AssistantMessage, st.lists(tool_calls, min_size=1, max_size=4).map(tuple))
failing = st.builds(
    AssistantMessage,
    st.lists(tool_calls | words, max_size=3).map(tuple),
    stop_reason=st.sampled_from(["stop", "length", "refusal", "error", "incomplete", "aborted"]),
)
replies = st.lists(working, min_size=1, max_size=4) | st.lists(working | working | failing, min_size=1, max_size=6)
plans = st.fixed_dictionaries(
    {
        "replies": replies,
        "decisions": st.lists(st.sampled_from(DECISIONS), min_size=1, max_size=5),
        "stop_at": st.none() | st.integers(1, 25),
        "stop_by": st.sampled_from(["signal", "cancel"]),
        "limits": st.sampled_from([Limits()] * 4 + [Limits(max_turns=2), Limits(max_tool_calls=3)]),
        "is_parallel": st.booleans(),
    }
)


class Trip:
    """One session that follows a plan, and everything that was seen on the way."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self.events: list[AgentEvent] = []
        self.model = ScriptedModel([*plan["replies"], says("the end")])
        self._plan = plan
        self._asked = 0
        self.session = Agent(
            self.model,
            tools=TOOLS,
            hooks=Hooks(before_tool_call=self._decide),
            limits=plan["limits"],
            tool_execution="parallel" if plan["is_parallel"] else "sequential",
        ).session()

    async def run(self) -> RunResult | None:
        signal = AbortSignal()
        task = asyncio.ensure_future(self.session.run("go", sink=self._sink, signal=signal))
        self._stop = signal.set if self._plan["stop_by"] == "signal" else task.cancel
        try:
            return await asyncio.wait_for(asyncio.shield(task), 20)
        except asyncio.CancelledError:
            return self.session.last_result

    async def _decide(self, _: CallAhead) -> Any:
        self._asked += 1
        return self._plan["decisions"][self._asked % len(self._plan["decisions"])]

    def _sink(self, event: AgentEvent) -> None:
        self.events.append(event)
        if len(self.events) == self._plan["stop_at"]:
            self._stop()


@settings(deadline=None, max_examples=150)
@given(plans)
async def test_every_run_leaves_a_closed_history_and_paired_events(plan: dict[str, Any]) -> None:
    trip = Trip(plan)
    result = await trip.run()
    waiting = {pending.call.id for pending in result.pending_approvals} if result else set()
    assert_closed(trip.session.messages, waiting)
    assert_events_are_paired(trip.events, waiting)
    for request in trip.model.requests:
        assert repair_history(request.messages) == request.messages
    if result is not None:
        assert RunResult.from_json(result.to_json()) == result
        assert (result.stop_reason == "awaiting_approval") == bool(waiting)
        assert trip.model.requests == [] or result.turns <= (plan["limits"].max_turns or 0)


@settings(deadline=None, max_examples=50)
@given(plans)
async def test_after_every_run_the_next_turn_works(plan: dict[str, Any]) -> None:
    trip = Trip(plan)
    await trip.run()
    model = ScriptedModel([says("and on")])
    result = await Agent(model).run("go on", history=trip.session.messages)
    assert result.text == "and on"
    assert repair_history(model.requests[0].messages) == model.requests[0].messages


def assert_closed(messages: tuple[Message, ...], waiting: set[str]) -> None:
    asked = [call.id for message in messages if isinstance(message, AssistantMessage) for call in message.tool_calls]
    answered = Counter(message.tool_call_id for message in messages if isinstance(message, ToolResultMessage))
    assert len(set(asked)) == len(asked)
    assert answered == Counter(call_id for call_id in asked if call_id not in waiting)


def assert_events_are_paired(events: list[AgentEvent], waiting: set[str]) -> None:
    started = Counter(event.call.id for event in events if isinstance(event, ToolStarted))
    ended = Counter(event.result.tool_call_id for event in events if isinstance(event, ToolEnded))
    assert started == ended
    assert not waiting & started.keys()
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunEnded)
    for kind in (RunStarted, RunEnded):
        assert sum(isinstance(event, kind) for event in events) == 1
    turns = [type(event) for event in events if isinstance(event, TurnStarted | TurnEnded)]
    assert turns == [TurnStarted, TurnEnded] * (len(turns) // 2)
    assert sum(isinstance(event, MessageEnded) for event in events) <= sum(
        isinstance(event, MessageStarted) for event in events
    )
