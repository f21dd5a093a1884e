"""One object that says stop, to the model, the tools and the hooks alike."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from itertools import count
from typing import TypeVar

from seatrial.core.waiting import give_up, wait_for_all
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
        self._keys = count()
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
        for key in list(self._listeners):
            self._call(key)

    def on_set(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls ``listener`` when it is set (at once if it is already); returns the way to leave again."""
        key, listeners = next(self._keys), self._listeners
        listeners[key] = listener
        if self._reason is not None:
            self._call(key)

        def leave() -> None:
            listeners.pop(key, None)

        return leave

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

        It is not waited for, but watched in the background. ``work`` that cancels itself raises RuntimeError here, so
        that nobody takes it for the cancelling of the waiting task.
        """
        if self._reason is not None:
            if asyncio.iscoroutine(work):
                work.close()
            raise AbortedError(self._reason)
        task = asyncio.ensure_future(work)
        try:
            await wait_for_all((task,), self)
        except asyncio.CancelledError:
            give_up(task, "work that was given up")
            raise
        if not task.done():
            give_up(task, "work that was given up")
            raise AbortedError(self._reason or "aborted")
        if task.cancelled():
            raise RuntimeError("it was cancelled from within")
        return task.result()

    def _call(self, key: int) -> None:
        """Calls a listener unless somebody else has: whoever takes it out calls it, so that it needs no lock."""
        listener = self._listeners.pop(key, None)
        if listener is not None:
            listener()
