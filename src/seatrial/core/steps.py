"""Work under a time limit that no timer can enforce while the work itself holds the event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

T = TypeVar("T")


class Steps(Generator[Any, Any, T]):
    """Awaits ``work`` and sees whether one of its own steps held the event loop from before its time was up to after.

    A timer comes too late for such work: it has its result by then. Work that was itself held up by others is not late.
    """

    def __init__(self, work: Awaitable[T], timeout_s: float) -> None:
        self.held_too_long = False
        self._steps: Any = work.__await__()
        self._due = perf_counter() + timeout_s

    async def run(self) -> T:
        """What the work gives."""
        return await self

    def __await__(self) -> Generator[Any, Any, T]:
        return self

    def send(self, value: Any, /) -> Any:
        """Takes the work one step further."""
        return self._timed(partial(self._steps.send, value))

    def throw(self, *error: Any) -> Any:
        """Takes the work one step further by an exception."""
        return self._timed(partial(self._steps.throw, *error))

    def _timed(self, step: Callable[[], Any]) -> Any:
        began = perf_counter()
        try:
            return step()
        finally:
            if began < self._due <= perf_counter():
                self.held_too_long = True
