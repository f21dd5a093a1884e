"""Many random inputs, each known by a number: what failed once is made again by seed and number, and kept as a file."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

SEED = int(os.environ.get("SEATRIAL_SEED", "20261130"))
STREAMS = int(os.environ.get("SEATRIAL_STREAMS", "2000"))
REPLIES = int(os.environ.get("SEATRIAL_REPLIES", "2000"))
FAILURES = Path(__file__).parents[2] / ".fuzz"
Make = Callable[[random.Random], Any]


def parts(total: int) -> list[range]:
    """The numbers in parts that the processes share."""
    size = max(500, min(5000, total // 16))
    return [range(start, min(start + size, total)) for start in range(0, total, size)]


def try_all(kind: str, numbers: range, make: Make, attempt: Callable[[Any, random.Random], None]) -> None:
    """Makes each input and tries it; the first that raises is kept and named."""
    for number in numbers:
        chance = random.Random(f"{SEED} {kind} {number}")  # noqa: S311 - inputs, no secrets
        made = make(chance)
        try:
            attempt(made, chance)
        except Exception as error:
            raise AssertionError(f"{kind} {number} of seed {SEED}, kept as {_keep(kind, number, made)}") from error


def _keep(kind: str, number: int, made: object) -> Path:
    """The failing input in a file, as Python writes it."""
    FAILURES.mkdir(exist_ok=True)
    path = FAILURES / f"{kind}-{SEED}-{number}.txt"
    path.write_text(ascii(made), encoding="ascii")
    return path
