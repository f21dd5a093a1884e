"""One object that says stop, to the model, the tools and the hooks alike."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from seatrial.errors import AbortedError

T = TypeVar("T")


class AbortSignal:
    """Set once, from any task or thread, and seen everywhere. A child is set with its parent, not the reverse.

    Setting it again, or after the run's end, does nothing; the first reason stays.
    """

    def __init__(self, parent: AbortSignal | None = None) -> None:
        self._lock = threading.Lock()
        self._reason: str | None = None
        self._listeners: dict[int, Callable[[], None]] = {}
        self._next_key = 0
        self._leave_parent: Callable[[], None] | None = None
        if parent is not None:
            self._leave_parent = parent.on_set(lambda: self.set(parent.reason or "aborted"))

    @property
    def is_set(self) -> bool:
        """Whether stop was said."""
        return self._reason is not None

    @property
    def reason(self) -> str | None:
        """Why: ``aborted``, ``timeout_s``, or the caller's word; None while it is not set."""
        return self._reason

    def set(self, reason: str = "aborted") -> None:
        """Says stop. Listeners are called once, in the calling thread."""
        with self._lock:
            if self._reason is not None:
                return
            self._reason = reason
            listeners = list(self._listeners.values())
            self._listeners.clear()
        for listener in listeners:
            listener()

    def on_set(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls ``listener`` when it is set (at once if it is already); returns the way to leave again."""
        with self._lock:
            if self._reason is None:
                key = self._next_key
                self._next_key += 1
                self._listeners[key] = listener
                return lambda: self._forget(key)
        listener()
        return lambda: None

    def detach(self) -> None:
        """Lets go of the parent, so that a long-lived parent does not keep finished children alive."""
        if self._leave_parent is not None:
            self._leave_parent()
            self._leave_parent = None

    def raise_if_set(self) -> None:
        """Raises `AbortedError` when stop was said."""
        if self._reason is not None:
            raise AbortedError(self._reason)

    async def wait(self) -> str:
        """Returns the reason once it is set."""
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()

        def wake() -> None:
            loop.call_soon_threadsafe(woken.set)

        leave = self.on_set(wake)
        try:
            await woken.wait()
        finally:
            leave()
        return self._reason or "aborted"

    async def race(self, work: Awaitable[T]) -> T:
        """The result of ``work``, or `AbortedError` as soon as the signal is set; then ``work`` is cancelled.

        It is not waited for beyond one turn of the event loop: whoever needs its end keeps the task.
        """
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        stopped: asyncio.Future[None] = loop.create_future()
        both: list[asyncio.Future[Any]] = [task, stopped]

        def stop() -> None:
            loop.call_soon_threadsafe(_resolve, stopped)

        leave = self.on_set(stop)
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            task.cancel()
            raise AbortedError(self._reason or "aborted")
        except asyncio.CancelledError:
            task.cancel()
            raise
        finally:
            leave()
            stopped.cancel()

    def _forget(self, key: int) -> None:
        with self._lock:
            self._listeners.pop(key, None)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
