"""How far two measurements of the same items go together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from seatrial.stats.distributions import t_two_sided


class Correlation(NamedTuple):
    """Spearman's rank correlation, -1 to 1, and its two-sided p-value."""

    rho: float
    p: float


def spearman(first: Sequence[float], second: Sequence[float]) -> Correlation | None:
    """The correlation of the ranks, ties sharing theirs; None when one side is constant or there are under 4 items.

    Source: Spearman 1904; p by Student's t with n - 2 degrees (Kendall and Stuart 1973, section 31.19).
    """
    n = len(first)
    if n != len(second):
        raise ValueError("both measurements are of the same items")
    if n < 4 or len(set(first)) == 1 or len(set(second)) == 1:
        return None
    rho = _pearson(_ranks(first), _ranks(second))
    if abs(rho) >= 1 - 1e-12:
        return Correlation(math.copysign(1.0, rho), 0.0)
    return Correlation(rho, t_two_sided(rho * math.sqrt((n - 2) / (1 - rho * rho)), n - 2))


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(ordered):
        end = start
        while end + 1 < len(ordered) and values[ordered[end + 1]] == values[ordered[start]]:
            end += 1
        for place in range(start, end + 1):
            ranks[ordered[place]] = (start + end) / 2 + 1
        start = end + 1
    return ranks


def _pearson(first: Sequence[float], second: Sequence[float]) -> float:
    mean_first, mean_second = fmean(first), fmean(second)
    shared = math.fsum((a - mean_first) * (b - mean_second) for a, b in zip(first, second, strict=True))
    squares = (
        math.fsum((a - mean_first) ** 2 for a in first),
        math.fsum((b - mean_second) ** 2 for b in second),
    )
    return shared / math.sqrt(squares[0] * squares[1])
