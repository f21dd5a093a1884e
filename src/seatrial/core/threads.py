"""Blocking functions off the event loop."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from seatrial.core.waiting import GRACE_S, logger

T = TypeVar("T")


async def in_thread(function: Callable[..., T], *args: Any) -> T:
    """What the function returns, run in a daemon thread of its own that sees the caller's context variables.

    There is no pool to fill up and nothing that the program's end waits for. When the waiting is cancelled the thread
    goes on, and its late value is dropped. ``SystemExit`` of the function comes out here, not in the thread.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            result = context.run(function, *args)
        except BaseException as error:  # noqa: BLE001
            _tell(loop, _fail, future, error)
        else:
            _tell(loop, _resolve, future, result)

    thread = threading.Thread(target=work, name=f"seatrial-{_name_of(function)}", daemon=True)
    thread.start()
    try:
        return await future
    except asyncio.CancelledError:
        if thread.is_alive() and not loop.is_closed():
            loop.call_later(GRACE_S, _report, thread)
        raise


def _tell(loop: asyncio.AbstractEventLoop, settle: Callable[..., None], *args: Any) -> None:
    with suppress(RuntimeError):  # the loop may be closed by now, and nobody waits any more
        loop.call_soon_threadsafe(settle, *args)


def _report(thread: threading.Thread) -> None:
    if thread.is_alive():
        logger.warning("%s was given up and still runs after %g s", thread.name, GRACE_S)


def _resolve(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def _fail(future: asyncio.Future[T], error: BaseException) -> None:
    if future.done():
        return
    if isinstance(error, StopIteration):
        error = RuntimeError(f"the function raised StopIteration({error.value!r})")
    future.set_exception(error)


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", "call")
