"""How many trials may be with one host at once: few at first, more while all goes well, fewer when it slows down."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType

_FIRST = 8  # what any provider takes without complaint
_SLOWED_BY = 2.0
_SLOW_FROM_S = 1.0  # below that it is our own work that takes the time
_HALF = 0.5
_EASED_TO = 0.8
_RECENT = 1 / 8
_USUAL = 1 / 64


class Pace:
    """Additive growth and halving, as in TCP (Chiu and Jain 1989): one more for each trial that went well.

    Trials that began before the last halving do not halve again: they met the same crowd. When the replies of late take
    twice as long as usual (moving averages over about 8 and 64 trials), the number goes down by a fifth; when they stay
    that slow, that becomes the usual.
    """

    def __init__(self, most: int) -> None:
        self.allowed = float(min(_FIRST, most))
        self._most = most
        self._active = 0
        self._begun = 0
        self._cut_at = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._recent_s: float | None = None
        self._usual_s = 0.0

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

    def end(self, number: int, *, was_held_back: bool, latency_s: float | None = None) -> None:
        """The turn is over; ``was_held_back`` when the provider made it wait or try again.

        ``latency_s`` is how long its longest request took, where that is known.
        """
        has_slowed = latency_s is not None and self._has_slowed(latency_s)
        if was_held_back or has_slowed:
            if number > self._cut_at:
                self.allowed = max(self.allowed * (_HALF if was_held_back else _EASED_TO), 1)
                self._cut_at = self._begun
        else:
            self.allowed = min(self.allowed + 1, self._most)
        self._give_back()

    def _has_slowed(self, latency_s: float) -> bool:
        if self._recent_s is None:
            self._recent_s = self._usual_s = latency_s
        self._recent_s += (latency_s - self._recent_s) * _RECENT
        self._usual_s += (latency_s - self._usual_s) * _USUAL
        return self._recent_s > max(self._usual_s * _SLOWED_BY, _SLOW_FROM_S)

    def _give_back(self) -> None:
        self._active -= 1
        while self._waiting and self._active < int(self.allowed):
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                self._active += 1


class Turn:
    """One trial's time with the host. Set ``was_held_back`` and ``latency_s`` before it ends."""

    def __init__(self, pace: Pace) -> None:
        self.was_held_back = False
        self.latency_s: float | None = None
        self._pace = pace
        self._number = 0

    async def __aenter__(self) -> Turn:
        self._number = await self._pace.begin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pace.end(self._number, was_held_back=self.was_held_back, latency_s=self.latency_s)
