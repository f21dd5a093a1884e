"""Several trials at once, never more than allowed, none held in memory beyond its turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from seatrial.core.abort import AbortSignal

T = TypeVar("T")

GRACE_S = 1.0


async def schedule(
    work: Iterable[T],
    perform: Callable[[T], Awaitable[None]],
    *,
    concurrency: int,
    stop: AbortSignal,
    fail: Callable[[T, BaseException], Awaitable[None]],
    close: AbortSignal | None = None,
) -> None:
    """Performs each item, ``concurrency`` at once, in the order of ``work``, which is read as places come free.

    When ``close`` is set nothing new is begun, and what is under way comes to its own end. When ``stop`` is set, it
    sees the same signal and has `GRACE_S` seconds to come back, then it is cancelled. The first exception ends
    everything and is raised. What foreign code in an item does to its own task (it cancels it, it asks Python to exit)
    ends that item alone: ``fail`` is told, and the next one begins.
    """
    source = iter(work)
    close = close or AbortSignal()
    over = asyncio.Event()

    async def take_turns() -> None:
        while not stop.is_set and not close.is_set:
            item = next(source, None)
            if item is None:
                return
            try:
                await perform(item)
            except (Exception, GeneratorExit):
                raise
            except BaseException as error:
                if over.is_set():
                    raise
                _forget_cancelling()
                await fail(item, error)

    workers = [asyncio.create_task(take_turns()) for _ in range(concurrency)]
    watch = asyncio.create_task(_cancel_the_late(workers, stop, over))
    try:
        finished, _ = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
        _raise_first(finished)
        await asyncio.wait(workers)
    finally:
        over.set()
        for task in (watch, *workers):
            task.cancel()
        await asyncio.gather(watch, *workers, return_exceptions=True)


async def _cancel_the_late(workers: Iterable[asyncio.Task[None]], stop: AbortSignal, over: asyncio.Event) -> None:
    await stop.wait()
    await asyncio.sleep(GRACE_S)
    over.set()
    for worker in workers:
        worker.cancel()


def _raise_first(finished: Iterable[asyncio.Task[None]]) -> None:
    for task in finished:
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error


def _forget_cancelling() -> None:
    """Takes back what was asked of the current task by code that it ran itself."""
    task = asyncio.current_task()
    while task is not None and task.cancelling():
        task.uncancel()
