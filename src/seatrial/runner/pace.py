"""How many trials may be with one provider at once: few at first, more while all goes well, half when it holds back."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType

_FIRST = 8  # what any provider takes without complaint


class Pace:
    """Additive growth and halving, as in TCP (Chiu and Jain 1989): one more for each trial that went well.

    Trials that began before the last halving do not halve again: they met the same crowd.
    """

    def __init__(self, most: int) -> None:
        self.allowed = float(min(_FIRST, most))
        self._most = most
        self._active = 0
        self._begun = 0
        self._halved_at = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    def turn(self) -> Turn:
        """A turn to be entered with ``async with``; it waits until there is room."""
        return Turn(self)

    async def begin(self) -> int:
        """Waits for room; the number of this turn."""
        if self._active >= int(self.allowed) or self._waiting:
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                if place.done() and not place.cancelled():
                    self._give_back()
                raise
        else:
            self._active += 1
        self._begun += 1
        return self._begun

    def end(self, number: int, *, was_held_back: bool) -> None:
        """The turn is over; ``was_held_back`` when the provider made it wait or try again."""
        if not was_held_back:
            self.allowed = min(self.allowed + 1, self._most)
        elif number > self._halved_at:
            self.allowed = max(self.allowed / 2, 1)
            self._halved_at = self._begun
        self._give_back()

    def _give_back(self) -> None:
        self._active -= 1
        while self._waiting and self._active < int(self.allowed):
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                self._active += 1


class Turn:
    """One trial's time with the provider. Set ``was_held_back`` before it ends."""

    def __init__(self, pace: Pace) -> None:
        self.was_held_back = False
        self._pace = pace
        self._number = 0

    async def __aenter__(self) -> Turn:
        self._number = await self._pace.begin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pace.end(self._number, was_held_back=self.was_held_back)
