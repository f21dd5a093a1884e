"""Trying again: how often, how long apart, and how it is stopped."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, TypeVar

from seatrial.errors import AbortedError, ProviderError

T = TypeVar("T")
RetryListener = Callable[[int, float, str], None]


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential back-off with full jitter; the server's own word wins, up to ``max_wait_s``."""

    max_tries: int = 5
    base_s: float = 0.5
    cap_s: float = 8.0
    max_wait_s: float = 60.0

    def delay_s(self, attempt: int, error: ProviderError) -> float | None:
        """How long to wait after try ``attempt`` (from 1) failed; None when it must not be repeated."""
        if not error.can_retry or attempt >= self.max_tries:
            return None
        if error.retry_after_s is not None:
            return error.retry_after_s if error.retry_after_s <= self.max_wait_s else None
        return random.SystemRandom().uniform(0, min(self.cap_s, self.base_s * 2 ** (attempt - 1)))


class StopSignal(Protocol):
    """What the client needs of an abort signal."""

    @property
    def is_set(self) -> bool:
        """Whether stop was said."""

    @property
    def reason(self) -> str | None:
        """Why."""

    def on_set(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls ``listener`` when it is set, from any thread; returns the way to leave again."""


async def with_retries(
    attempt: Callable[[], Awaitable[T]],
    *,
    policy: RetryPolicy,
    total_s: float,
    signal: StopSignal | None = None,
    on_retry: RetryListener | None = None,
) -> T:
    """The result of ``attempt``, repeated as ``policy`` says.

    Raises the last `ProviderError`, also when ``total_s`` seconds have passed, and `AbortedError` as soon as ``signal``
    is set, out of a request or a wait.
    """
    number = 0
    with _StoppedBy(signal, total_s):
        while True:
            number += 1
            try:
                return await attempt()
            except ProviderError as error:
                delay_s = policy.delay_s(number, error)
                if delay_s is None:
                    raise
                if on_retry is not None:
                    on_retry(number, delay_s, error.message)
            await asyncio.sleep(delay_s)


class _StoppedBy:
    """Cancels the current task when the signal is set or the time is up, and makes an error of that cancellation."""

    def __init__(self, signal: StopSignal | None, total_s: float) -> None:
        self._signal = signal
        self._total_s = total_s
        self._leave: Callable[[], None] | None = None
        self._is_over = False
        self._error: AbortedError | ProviderError | None = None

    def __enter__(self) -> None:
        signal = self._signal
        if signal is not None and signal.is_set:
            raise _aborted(signal)
        loop = asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        if task is None:
            raise RuntimeError("a request needs a running task")
        self._task = task
        self._cancels_before = task.cancelling()
        self._timer = loop.call_later(self._total_s, self._time_is_up)
        if signal is not None:
            self._leave = signal.on_set(self._stop)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        self._timer.cancel()
        if self._leave is not None:
            self._leave()
        if self._error is None:
            return
        if self._task.uncancel() <= self._cancels_before and kind is asyncio.CancelledError:
            raise self._error from error

    def _stop(self) -> None:
        """Called in any thread."""
        self._task.get_loop().call_soon_threadsafe(self._abort)

    def _abort(self) -> None:
        if self._signal is not None:
            self._cancel(_aborted(self._signal))

    def _time_is_up(self) -> None:
        self._cancel(
            ProviderError(
                f"no whole reply within {self._total_s:g} s",
                code="timeout",
                hint="a larger `timeout_s` under `model:` waits longer",
            )
        )

    def _cancel(self, error: AbortedError | ProviderError) -> None:
        if not self._is_over and self._error is None:
            self._error = error
            self._task.cancel()


def _aborted(signal: StopSignal) -> AbortedError:
    return AbortedError(signal.reason or "aborted")
