"""How the time of some work grows with its size, told by CPU time: other work on the machine does not count."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import process_time
from typing import Any

TRIES = 4
LINEAR = 8.0
"""Four times the size takes four times as long where growth is linear, and sixteen times where it is square."""


def grows_linearly(work: Callable[[int], Callable[[], Any]], size: int) -> bool:
    """Whether what ``work`` makes for four times the size takes about four times as long. It may try again."""
    return any(_ratio(work, size) < LINEAR for _ in range(TRIES))


def _ratio(work: Callable[[int], Callable[[], Any]], size: int) -> float:
    small, large = work(size), work(4 * size)
    least = min(_time(small) for _ in range(3))
    return _time(large) / max(least, 1e-6)


def _time(job: Callable[[], Any]) -> float:
    gc.disable()
    try:
        start = process_time()
        job()
        return process_time() - start
    finally:
        gc.enable()
