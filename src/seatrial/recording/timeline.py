"""The order in which tool calls that go on side by side begin, tell something and end."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable

_QUICK_ROUNDS = 200
_ROUND_S = 0.005
_PATIENCE_S = 1.0


class Timeline:
    """Lets steps of calls pass in their recorded order.

    A step whose turn does not come, because a call before it is not made this time, passes after a second.
    """

    def __init__(self, order: Iterable[int]) -> None:
        self._left = deque(order)
        self._steps_made = 0

    async def pass_step(self, number: int) -> None:
        """Returns when it is the turn of the next step of this call; at once for calls that nothing is known of."""
        if number not in self._left:
            return
        await self._come_first(number)
        if number in self._left:
            self._left.remove(number)
        self._steps_made += 1

    def open(self) -> None:
        """Lets everything pass from now on: what happens is not what was recorded."""
        self._left.clear()

    async def _come_first(self, number: int) -> None:
        seen, rounds = self._steps_made, 0
        while self._left and self._left[0] != number:
            await asyncio.sleep(0 if rounds < _QUICK_ROUNDS else _ROUND_S)
            if self._steps_made != seen:
                seen, rounds = self._steps_made, 0
            rounds += 1
            if rounds - _QUICK_ROUNDS > _PATIENCE_S / _ROUND_S:
                return
