"""One run from its preparation to its result."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from time import perf_counter

import msgspec

from seatrial.core.abort import AbortSignal
from seatrial.core.content import ToolCall
from seatrial.core.context import AgentState
from seatrial.core.conversation import Conversation
from seatrial.core.events import EventSink, RunEnded, RunStarted
from seatrial.core.history import open_calls
from seatrial.core.hooks import Decision
from seatrial.core.inbox import Inbox
from seatrial.core.journal import Journal
from seatrial.core.limits import Meter
from seatrial.core.loop import Ending, Loop
from seatrial.core.loop_config import LoopConfig
from seatrial.core.messages import Message, UserMessage
from seatrial.core.model import Model
from seatrial.core.offering import Offering, ToolSource
from seatrial.core.result import RunResult, Transcript
from seatrial.core.scope import Scope
from seatrial.core.tool import Tool
from seatrial.core.toolbox import Toolbox

_WHOLE = ("stop", "terminated")


class Blueprint(msgspec.Struct, frozen=True):
    """What an agent is made of; shared by all its runs and changed by none."""

    model: Model
    system_prompt: str
    tools: Toolbox
    deferred_tools: tuple[Tool, ...]
    tool_sources: tuple[ToolSource, ...]
    config: LoopConfig


class Order(msgspec.Struct, frozen=True):
    """What one run is asked to do. Without ``opening`` it goes on from the history; ``earlier`` is what it resumes."""

    history: Sequence[Message] = ()
    opening: tuple[UserMessage, ...] = ()
    decisions: Mapping[str, Decision] = {}
    earlier: RunResult | None = None
    signal: AbortSignal | None = None
    sink: EventSink | None = None
    with_deltas: bool = True
    journal: Journal | None = None


class Running:
    """A run that is prepared and gone through once. ``state`` can be looked at meanwhile and afterwards."""

    def __init__(self, blueprint: Blueprint, order: Order, inbox: Inbox | None = None) -> None:
        conversation = Conversation(order.history, blueprint.tools)
        self.signal = AbortSignal(order.signal)
        self.state = AgentState(blueprint.system_prompt, blueprint.model, blueprint.tools, messages=conversation.record)
        self._order = order
        self._inbox = inbox or Inbox()
        self._scope = Scope(
            state=self.state,
            conversation=conversation,
            config=blueprint.config,
            meter=Meter(blueprint.config.limits, order.earlier),
            signal=self.signal,
            sink=order.sink,
            with_deltas=order.with_deltas,
            journal=order.journal,
        )
        offering = Offering(self._scope, blueprint.deferred_tools, blueprint.tool_sources)
        self._loop = Loop(self._scope, self._inbox, offering)

    async def go(self) -> RunResult:
        """The run's result. A cancelled task leaves a closed history behind and stays cancelled."""
        started = perf_counter()
        deadline = self._deadline()
        calls: list[ToolCall] = [] if self._order.opening else open_calls(self._order.history)
        self._scope.emit(RunStarted())
        try:
            ending = await self._loop.run(self._order.opening, calls, self._order.decisions)
        except asyncio.CancelledError:
            self._scope.end(RunEnded("aborted"))
            raise
        finally:
            if deadline is not None:
                deadline.cancel()
            self.signal.detach()
        ending = self._in_time(ending, perf_counter() - started)
        self._scope.end(RunEnded(ending.stop_reason, ending.limit, ending.error_message))
        return self._result(ending, perf_counter() - started)

    def _deadline(self) -> asyncio.TimerHandle | None:
        timeout_s = self._scope.config.limits.timeout_s
        if timeout_s is None:
            return None
        return asyncio.get_running_loop().call_later(timeout_s, self.signal.set, "timeout_s")

    def _in_time(self, ending: Ending, duration_s: float) -> Ending:
        """The ending, unless code that held the event loop kept the timer from being heard before it."""
        timeout_s = self._scope.config.limits.timeout_s
        is_late = timeout_s is not None and duration_s >= timeout_s
        return Ending("limit", "timeout_s") if is_late and ending.stop_reason in _WHOLE else ending

    def _result(self, ending: Ending, duration_s: float) -> RunResult:
        scope, earlier = self._scope, self._order.earlier
        return RunResult(
            stop_reason=ending.stop_reason,
            limit=ending.limit,
            error_message=ending.error_message,
            error_code=ending.error_code,
            transcript=Transcript(tuple(self.state.messages)),
            usage=scope.meter.usage,
            cost_usd=scope.meter.cost_usd,
            requests=(*(earlier.requests if earlier else ()), *scope.records),
            turns=scope.meter.turns,
            tool_call_count=scope.meter.tool_calls,
            duration_s=duration_s + (earlier.duration_s if earlier else 0.0),
            history_length=earlier.history_length if earlier else len(self._order.history),
            output=self._loop.output,
            pending_approvals=ending.approvals,
            undelivered=self._inbox.waiting(),
            warnings=(*(earlier.warnings if earlier else ()), *scope.warnings),
            hook_errors=(*(earlier.hook_errors if earlier else ()), *scope.hook_errors),
            tools=tuple(tool.spec for tool in self.state.tools),
        )
