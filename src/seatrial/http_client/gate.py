"""A host's wish to be left alone for a while, kept by everybody who asks it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from weakref import WeakKeyDictionary

from seatrial.http_client.rate_limits import pause_asked_for
from seatrial.http_client.retry_after import retry_after

MAX_WAIT_S = 60.0
_HOLDING_STATUSES = frozenset({429, 503, 529})


class HostGate:
    """Shut for as long as the host asks: by ``Retry-After``, or by saying that nothing is left until a moment.

    A wish for longer than `MAX_WAIT_S` shuts nothing: the request that met it fails at once and says so.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._opens_at = 0.0

    @property
    def wait_s(self) -> float:
        """Seconds until it opens, 0 while it is open."""
        return max(self._opens_at - self._clock(), 0.0) if self._opens_at else 0.0

    def note(self, status: int, headers: Mapping[str, str]) -> None:
        """Shuts when the reply asks for it."""
        wait_s = retry_after(headers) if status in _HOLDING_STATUSES else None
        if wait_s is None:
            wait_s = pause_asked_for(headers)
        if wait_s is not None and 0 < wait_s <= MAX_WAIT_S:
            self._opens_at = max(self._opens_at, self._clock() + wait_s)

    async def passed(self) -> float:
        """Waits until it is open; the seconds that took."""
        started = self._clock()
        await asyncio.sleep(self.wait_s)
        if self.wait_s:  # it was shut again meanwhile
            await self.passed()
        return self._clock() - started


_gates: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, HostGate]] = WeakKeyDictionary()


def origin_of(url: str) -> str:
    """Scheme, host and port."""
    return "/".join(url.split("/", 3)[:3])


def gate_of(origin: str) -> HostGate:
    """The gate of a host (``https://host:port``), one for everything in the running event loop."""
    return _gates.setdefault(asyncio.get_running_loop(), {}).setdefault(origin, HostGate())
