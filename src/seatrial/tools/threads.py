"""Blocking work beside the event loop, in a thread of its own."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from seatrial.errors import ToolError

T = TypeVar("T")


async def run_in_thread(work: Callable[[], T], name: str) -> T:
    """The result of ``work``, run with the caller's context variables.

    Each call has its own daemon thread: work that never ends holds up neither other tools nor the end of the process.
    When the waiting task is cancelled the thread goes on by itself and its result is dropped. What ends a program
    (``SystemExit`` and its like) comes out as `ToolError`.
    """
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def tell(settle: Callable[[Any], None], value: Any) -> None:
        if not outcome.done():
            settle(value)

    def body() -> None:
        try:
            result = context.run(work)
        except BaseException as error:  # noqa: BLE001 (handed to the waiting task, whatever it is)
            report: tuple[Callable[[Any], None], Any] = (outcome.set_exception, _awaitable_error(error))
        else:
            report = (outcome.set_result, result)
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, *report)

    threading.Thread(target=body, name=name, daemon=True).start()
    return await outcome


def _awaitable_error(error: BaseException) -> Exception:
    """The error itself where a task can carry it: exits and cancellations would end the loop instead."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    wrapped = ToolError(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
    wrapped.__cause__ = error
    return wrapped
