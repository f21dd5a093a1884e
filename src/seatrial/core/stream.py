"""A run told event by event to whoever iterates."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

from seatrial.core.abort import AbortSignal
from seatrial.core.events import AgentEvent, EventSink, MessageReasoningDelta, MessageTextDelta
from seatrial.core.result import RunResult
from seatrial.core.waiting import retrieve

MAX_WAITING = 256


class RunStream:
    """An async iterator over the events of one run, and a context manager that aborts it when it is left early.

    The run starts with the first event asked for. Whoever stops iterating and lets go of the stream aborts the run. A
    slow reader loses nothing: beyond 256 waiting events, deltas of text are joined to one.
    """

    def __init__(
        self, start: Callable[[EventSink, AbortSignal], Awaitable[RunResult]], signal: AbortSignal | None = None
    ) -> None:
        self._start = start
        self._signal = AbortSignal(signal)
        self._buffer = _Buffer()
        self._task: asyncio.Future[RunResult] | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> AgentEvent:
        task = self._started()
        while not self._buffer.events:
            if task.done():
                task.result()
                raise StopAsyncIteration
            await self._buffer.wait()
        return self._buffer.events.popleft()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __del__(self) -> None:
        if self._task is not None and not self._task.done() and not self._task.get_loop().is_closed():
            self._signal.set()

    async def result(self) -> RunResult:
        """The run's result, once it is through; events that nobody reads are kept until then."""
        return await self._started()

    async def close(self) -> None:
        """Aborts the run if it still goes on, and waits for its end."""
        self._signal.set()
        if self._task is not None:
            await asyncio.wait((self._task,))

    def _started(self) -> asyncio.Future[RunResult]:
        if self._task is None:
            self._task = asyncio.ensure_future(self._start(self._buffer.put, self._signal))
            self._task.add_done_callback(_ending(self._buffer, self._signal))
        return self._task


def _ending(buffer: _Buffer, signal: AbortSignal) -> Callable[[asyncio.Future[RunResult]], None]:
    """What is done when the run is over. It must not know the stream, whose end is what aborts a run left alone."""

    def ended(task: asyncio.Future[RunResult]) -> None:
        signal.detach()
        buffer.wake()
        retrieve(task)

    return ended


class _Buffer:
    """Events that wait for their reader."""

    def __init__(self) -> None:
        self.events: deque[AgentEvent] = deque()
        self._woken = asyncio.Event()

    def put(self, event: AgentEvent) -> None:
        last = self.events[-1] if len(self.events) >= MAX_WAITING else None
        if isinstance(event, MessageTextDelta) and isinstance(last, MessageTextDelta):
            self.events[-1] = MessageTextDelta(last.text + event.text)
        elif isinstance(event, MessageReasoningDelta) and isinstance(last, MessageReasoningDelta):
            self.events[-1] = MessageReasoningDelta(last.text + event.text)
        else:
            self.events.append(event)
        self.wake()

    def wake(self) -> None:
        self._woken.set()

    async def wait(self) -> None:
        self._woken.clear()
        if not self.events:
            await self._woken.wait()
