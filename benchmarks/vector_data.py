"""What the stores and their peers are measured with; needs numpy and nothing of ours."""

from __future__ import annotations

import statistics
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt

DIMENSION = 384
CHUNK_CHARS = 700
PER_FILE = 100
QUERIES = 200
Vectors = npt.NDArray[np.float32]


def texts(count: int) -> list[str]:
    """Pieces of the standard library's own sources, over again when they do not reach."""
    pieces: list[str] = []
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).rglob("*.py")):
        if "site-packages" not in path.parts:
            source = path.read_text(encoding="utf-8", errors="replace")
            pieces += [source[i : i + CHUNK_CHARS] for i in range(0, len(source) - CHUNK_CHARS, CHUNK_CHARS)]
            if len(pieces) >= count:
                break
    return [pieces[i % len(pieces)] for i in range(count)]


def vectors(count: int, seed: int = 0) -> Vectors:
    """Rows of length 1 in a thousand clusters, as those of real texts are."""
    chance = np.random.default_rng(seed)
    centres = chance.standard_normal((1000, DIMENSION)).astype(np.float32)
    rows = centres[chance.integers(0, 1000, count)] + 0.5 * chance.standard_normal((count, DIMENSION)).astype(
        np.float32
    )
    scaled: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled


def milliseconds(work: Callable[[int], object], times: int) -> list[float]:
    """How long each call took, sorted."""
    taken = []
    for number in range(times):
        start = time.perf_counter()
        work(number)
        taken.append((time.perf_counter() - start) * 1000)
    return sorted(taken)


def spread(taken: list[float]) -> str:
    """Median and 95th percentile of sorted times."""
    return f"{statistics.median(taken):.1f} / {taken[int(len(taken) * 0.95)]:.1f} ms"
