"""How far raters agree beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Literal

Level = Literal["nominal", "ordinal", "interval"]
Distance = Callable[[float, float], float]


def cohen_kappa(first: Sequence[float], second: Sequence[float], *, is_quadratic: bool = False) -> float | None:
    """Agreement of two raters on the same items: 1 is full, 0 is chance; None when both only ever said the same one.

    With ``is_quadratic`` a disagreement weighs as the square of its size.
    Source: Cohen 1960, 1968.
    """
    if len(first) != len(second) or not first:
        raise ValueError("both raters rate the same items, at least one")
    distance = _squared if is_quadratic else _differs
    n = len(first)
    observed = sum(distance(a, b) for a, b in zip(first, second, strict=True)) / n
    counts_first, counts_second = Counter(first), Counter(second)
    expected = sum(
        distance(a, b) * count_a * count_b
        for a, count_a in counts_first.items()
        for b, count_b in counts_second.items()
    ) / (n * n)
    return None if expected == 0 else 1 - observed / expected


def krippendorff_alpha(items: Sequence[Sequence[float | None]], level: Level = "interval") -> float | None:
    """Agreement of any number of raters, None where one did not rate; None when there is nothing to tell apart.

    ``items`` holds the ratings of each item. Items with fewer than two ratings do not count.
    Source: Krippendorff 2011, "Computing Krippendorff's alpha-reliability".
    """
    rated = [[value for value in item if value is not None] for item in items]
    pairable = [item for item in rated if len(item) > 1]
    totals = Counter(value for item in pairable for value in item)
    n = totals.total()
    distance = _distance(level, totals)
    observed = sum(2 * sum(distance(a, b) for a, b in combinations(item, 2)) / (len(item) - 1) for item in pairable)
    expected = sum(2 * totals[a] * totals[b] * distance(a, b) for a, b in combinations(sorted(totals), 2))
    return None if not expected else 1 - (n - 1) * observed / expected


def _distance(level: Level, totals: Counter[float]) -> Distance:
    match level:
        case "nominal":
            return _differs
        case "interval":
            return _squared
        case "ordinal":
            return _ordinal(totals)


def _ordinal(totals: Counter[float]) -> Distance:
    """Squared number of ratings that lie between two values, half of those at the ends counted."""
    below: dict[float, float] = {}
    passed = 0
    for value in sorted(totals):
        below[value] = passed + totals[value] / 2
        passed += totals[value]
    return lambda a, b: (below[a] - below[b]) ** 2


def _differs(a: float, b: float) -> float:
    return float(a != b)


def _squared(a: float, b: float) -> float:
    return (a - b) ** 2
