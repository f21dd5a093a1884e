"""Blocking functions off the event loop."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from seatrial.core.waiting import GRACE_S, logger

T = TypeVar("T")
IDLE_S = 10.0


async def in_thread(function: Callable[..., T], *args: Any) -> T:
    """What the function returns, run in a daemon thread that sees the caller's context variables.

    A thread that is idle is used again, else there is a new one: there is no pool to fill up and nothing that the
    program's end waits for. When the waiting is cancelled the thread goes on, and its late value is dropped.
    ``SystemExit`` of the function comes out here, not in the thread.
    """
    loop = asyncio.get_running_loop()
    job = _Job(loop, function, args)
    _do(job)
    try:
        return await job.future
    except asyncio.CancelledError:
        if not job.is_over and not loop.is_closed():
            loop.call_later(GRACE_S, job.report)
        raise


class _Job(Generic[T]):
    """One call of a function, and the future that waits for it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, function: Callable[..., T], args: tuple[Any, ...]) -> None:
        self.future: asyncio.Future[T] = loop.create_future()
        self.name = f"seatrial-{getattr(function, '__name__', 'call')}"
        self.is_over = False
        self._loop = loop
        self._function = function
        self._args = args
        self._context = contextvars.copy_context()

    def run(self) -> Callable[[], None]:
        """Does it, and gives back what tells the one who waits."""
        try:
            result = self._context.run(self._function, *self._args)
        except BaseException as error:  # noqa: BLE001 - it is raised again where the value is awaited
            return partial(self._tell, _fail, error)
        finally:
            self.is_over = True
        return partial(self._tell, _resolve, result)

    def report(self) -> None:
        if not self.is_over:
            logger.warning("%s was given up and still runs after %g s", self.name, GRACE_S)

    def _tell(self, settle: Callable[[asyncio.Future[T], Any], None], outcome: object) -> None:
        with suppress(RuntimeError):  # the loop may be closed by now, and nobody waits any more
            self._loop.call_soon_threadsafe(settle, self.future, outcome)


class _Worker:
    """A thread that does one job after the other. Whoever takes it out of the idle ones owns it until it is back."""

    def __init__(self) -> None:
        self.jobs: SimpleQueue[_Job[Any]] = SimpleQueue()
        self.thread = threading.Thread(target=self._work, name="seatrial-idle", daemon=True)
        self.thread.start()

    def _work(self) -> None:
        while True:
            try:
                job = self.jobs.get(timeout=IDLE_S)
            except Empty:
                if self._retire():
                    return
                continue
            self.thread.name = job.name
            tell = job.run()
            _idle.append(self)
            tell()
            del job, tell

    def _retire(self) -> bool:
        """Whether the thread may end: not when somebody has just taken it for a job."""
        try:
            _idle.remove(self)
        except ValueError:
            return False
        return True


_idle: list[_Worker] = []


def _do(job: _Job[Any]) -> None:
    worker = None
    while worker is None or not worker.thread.is_alive():  # in a forked process the threads of its parent are gone
        try:
            worker = _idle.pop()
        except IndexError:
            worker = _Worker()
    worker.jobs.put(job)


def _resolve(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[T], error: BaseException) -> None:
    if future.done():
        return
    if isinstance(error, StopIteration):
        error = RuntimeError(f"the function raised StopIteration({error.value!r})")
    future.set_exception(error)
