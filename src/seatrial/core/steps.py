"""Work under a time limit that no timer can enforce while the work itself holds the event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from functools import partial
from time import perf_counter
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Steps(Generic[T]):
    """Awaits ``work`` and sees whether one of its own steps held the event loop from before its time was up to after.

    A timer comes too late for such work: it has its result by then. Work that was itself held up by others is not late.
    """

    def __init__(self, work: Awaitable[T], timeout_s: float) -> None:
        self.held_too_long = False
        self._work = work
        self._due = perf_counter() + timeout_s

    async def run(self) -> T:
        """What the work gives."""
        return await self

    def __await__(self) -> Generator[Any, Any, T]:
        steps: Any = self._work.__await__()
        step: Callable[[], Any] = partial(steps.send, None)
        while True:
            began = perf_counter()
            try:
                waits_for = step()
            except StopIteration as ended:
                result: T = ended.value
                return result
            finally:
                if began < self._due <= perf_counter():
                    self.held_too_long = True
            try:
                step = partial(steps.send, (yield waits_for))
            except BaseException as error:  # noqa: BLE001 - it is thrown into the work, as `await` would
                step = partial(steps.throw, error)
