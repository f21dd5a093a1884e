"""Waiting for work that may have to be given up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable
from typing import Any, Protocol

STOP_WAIT_S = 0.05
GRACE_S = 5.0

logger = logging.getLogger("seatrial")


class Signal(Protocol):
    """Something that is set once."""

    def on_set(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls ``listener`` when it is set; returns the way to leave again."""


async def wait_for_all(tasks: Collection[asyncio.Future[Any]], signal: Signal) -> bool:
    """Waits until every task has ended (True) or the signal is set (False); the tasks are left as they are."""
    loop = asyncio.get_running_loop()
    over: asyncio.Future[None] = loop.create_future()
    left = len(tasks)

    def count(_task: asyncio.Future[Any]) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            _resolve(over)

    for task in tasks:
        task.add_done_callback(count)

    def stop() -> None:
        loop.call_soon_threadsafe(_resolve, over)

    leave = signal.on_set(stop)
    try:
        if left:
            await over
    finally:
        leave()
        for task in tasks:
            task.remove_done_callback(count)
    return all(task.done() for task in tasks)


async def stop_all(tasks: Iterable[asyncio.Future[Any]]) -> list[asyncio.Future[Any]]:
    """Cancels the tasks, waits a moment for their end, and returns those that go on all the same."""
    tasks = list(tasks)
    running = [task for task in tasks if not task.done()]
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running, timeout=STOP_WAIT_S)
    for task in tasks:
        retrieve(task)
    return [task for task in running if not task.done()]


def is_in_event_loop() -> bool:
    """Whether the caller runs inside an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def give_up(task: asyncio.Future[Any], name: str) -> None:
    """Cancels a task that nobody waits for any more."""
    task.cancel()
    watch(task, name)


def watch(task: asyncio.Future[Any], name: str) -> None:
    """Lets a cancelled task end in the background, drops its value, and logs it if it outlives the grace time."""
    timer = asyncio.get_running_loop().call_later(GRACE_S, _report, task, name)

    def ended(task: asyncio.Future[Any]) -> None:
        timer.cancel()
        retrieve(task)

    task.add_done_callback(ended)


def retrieve(task: asyncio.Future[Any]) -> None:
    """Looks at the exception of an ended task, so that nobody is told that nobody did."""
    if task.done() and not task.cancelled():
        task.exception()


def _report(task: asyncio.Future[Any], name: str) -> None:
    if not task.done():
        logger.warning("%s was told to stop and still runs after %g s", name, GRACE_S)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
