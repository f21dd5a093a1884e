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
    close: AbortSignal | None = None,
) -> None:
    """Performs each item, ``concurrency`` at once, in the order of ``work``, which is read as places come free.

    When ``close`` is set nothing new is begun, and what is under way comes to its own end. When ``stop`` is set, it
    sees the same signal and has `GRACE_S` seconds to come back, then it is cancelled. The first exception ends
    everything and is raised.
    """
    source = iter(work)
    close = close or AbortSignal()

    async def take_turns() -> None:
        while not stop.is_set and not close.is_set:
            item = next(source, None)
            if item is None:
                return
            await perform(item)

    workers = [asyncio.create_task(take_turns()) for _ in range(concurrency)]
    watch = asyncio.create_task(_cancel_the_late(workers, stop))
    try:
        finished, _ = await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
        _raise_first(finished)
        await asyncio.wait(workers)
    finally:
        for task in (watch, *workers):
            task.cancel()
        await asyncio.gather(watch, *workers, return_exceptions=True)


async def _cancel_the_late(workers: Iterable[asyncio.Task[None]], stop: AbortSignal) -> None:
    await stop.wait()
    await asyncio.sleep(GRACE_S)
    for worker in workers:
        worker.cancel()


def _raise_first(finished: Iterable[asyncio.Task[None]]) -> None:
    for task in finished:
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
