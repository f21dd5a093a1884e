"""A conversation that goes on over several runs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import msgspec

from seatrial.core.abort import AbortSignal
from seatrial.core.context import AgentState
from seatrial.core.events import EventSink
from seatrial.core.hooks import Decision
from seatrial.core.inbox import Inbox
from seatrial.core.journal import Journal
from seatrial.core.messages import Message, UserMessage, as_user_message
from seatrial.core.result import RunResult, Transcript, check_decisions
from seatrial.core.running import Blueprint, Order, Running
from seatrial.core.stream import RunStream
from seatrial.errors import AbortedError


class Session:
    """Runs of one agent that share a history. Runs asked for at the same time wait in line, in the order of asking.

    Steering and follow-up messages may come from any thread, everything else from one event loop.
    """

    def __init__(self, blueprint: Blueprint, history: Sequence[Message] = (), journal: Journal | None = None) -> None:
        self._blueprint = blueprint
        self._messages: list[Message] = list(history)
        self._journal = journal
        self._inbox = Inbox()
        self._line = asyncio.Lock()
        self._running: Running | None = None
        self._last_result: RunResult | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation until now, that of a run that goes on included."""
        return tuple(self._messages if self._running is None else self._running.state.messages)

    @property
    def last_result(self) -> RunResult | None:
        """What the last run gave; None before the first one, while one goes on, and after one that was cancelled."""
        return self._last_result

    @property
    def state(self) -> AgentState | None:
        """The state of the run that goes on, None between runs."""
        return None if self._running is None else self._running.state

    async def run(
        self,
        prompt: str | UserMessage,
        *,
        signal: AbortSignal | None = None,
        sink: EventSink | None = None,
        with_deltas: bool = True,
    ) -> RunResult:
        """The result of the next run, once those before it are through."""
        opening = (as_user_message(prompt),)
        return await self._go(Order(opening=opening, signal=signal, sink=sink, with_deltas=with_deltas))

    async def resume(
        self,
        decisions: Mapping[str, Decision],
        *,
        signal: AbortSignal | None = None,
        sink: EventSink | None = None,
        with_deltas: bool = True,
    ) -> RunResult:
        """Goes on with a run that ended with ``awaiting_approval``, as `Agent.resume` does."""
        return await self._go(Order(decisions=decisions, signal=signal, sink=sink, with_deltas=with_deltas))

    def stream(self, prompt: str | UserMessage, *, signal: AbortSignal | None = None) -> RunStream:
        """The events of the next run, as they happen."""
        opening = (as_user_message(prompt),)
        return RunStream(lambda sink, signal: self._go(Order(opening=opening, signal=signal, sink=sink)), signal)

    def steer(self, message: str | UserMessage) -> None:
        """Says something before the next request of the run that goes on (or of the next one)."""
        self._inbox.steer(as_user_message(message))

    def follow_up(self, message: str | UserMessage) -> None:
        """Says something once the run would stop; the run then goes on with it."""
        self._inbox.follow_up(as_user_message(message))

    def abort(self, reason: str = "aborted") -> None:
        """Stops the run that goes on; runs that wait in line stay there. Without a run it does nothing."""
        if self._running is not None:
            self._running.signal.set(reason)

    async def _go(self, order: Order) -> RunResult:
        try:
            await (self._line.acquire() if order.signal is None else order.signal.race(self._line.acquire()))
        except AbortedError as error:
            return self._never_begun(error.message)
        try:
            return await self._next(order)
        finally:
            self._line.release()

    async def _next(self, order: Order) -> RunResult:
        is_resumed = not order.opening
        if is_resumed:
            check_decisions(self._last_result, order.decisions)
        order = msgspec.structs.replace(
            order,
            history=tuple(self._messages),
            journal=self._journal,
            earlier=self._last_result if is_resumed else None,
        )
        self._last_result = None
        self._running = Running(self._blueprint, order, self._inbox)
        try:
            self._last_result = await self._running.go()
            return self._last_result
        finally:
            self._messages = self._running.state.messages
            self._running = None

    def _never_begun(self, reason: str) -> RunResult:
        return RunResult(
            "aborted",
            Transcript(self.messages),
            error_message=None if reason == "aborted" else reason,
            history_length=len(self.messages),
            undelivered=self._inbox.waiting(),
        )
