"""The pass line at which a measurement agrees best with verdicts of people, and how sure that is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from seatrial.stats.intervals import Interval

RESAMPLES = 1000
_MOST_CANDIDATES = 20


class Suggestion(NamedTuple):
    """``kappa`` is the agreement there in these data, ``expected_kappa`` in data that did not choose it.

    ``chosen_in`` is the share of bootstrap resamples that choose the same line, ``interval_95`` holds the lines of 95 %
    of them.
    """

    threshold: float
    kappa: float
    expected_kappa: float | None
    chosen_in: float
    interval_95: Interval


def suggest_threshold(
    values: Sequence[float], is_good: Sequence[bool], *, is_lower_better: bool = False, seed: int = 0
) -> Suggestion | None:
    """The line with the highest Cohen's kappa, of equal ones the stricter; None when only one verdict or value occurs.

    How sure it is comes from the bootstrap: the choice is made anew on each resample and judged on what that left out
    (Efron and Tibshirani 1993, section 17.6).
    """
    signed = [-value if is_lower_better else value for value in values]
    lines = _candidates(signed)
    if len(set(is_good)) < 2 or len(lines) < 2:
        return None
    items = list(zip(signed, is_good, strict=True))
    best = _best(items, lines)
    draw = random.Random(seed)  # noqa: S311 - statistics, no secret
    chosen, outside = [], []
    for _ in range(RESAMPLES):
        places = draw.choices(range(len(items)), k=len(items))
        line = _best([items[place] for place in places], lines)
        chosen.append(line)
        kept = set(places)
        left = [item for place, item in enumerate(items) if place not in kept]
        kappa = verdict_kappa(left, line)
        if kappa is not None:
            outside.append(kappa)
    sign = -1 if is_lower_better else 1
    ordered = sorted(sign * line for line in chosen)
    tail = RESAMPLES // 40
    return Suggestion(
        threshold=sign * best,
        kappa=verdict_kappa(items, best) or 0.0,
        expected_kappa=fmean(outside) if outside else None,
        chosen_in=chosen.count(best) / RESAMPLES,
        interval_95=Interval(ordered[tail], ordered[-tail - 1]),
    )


def verdict_kappa(items: Sequence[tuple[float, bool]], line: float) -> float | None:
    """Cohen's kappa between ``value >= line`` and the verdict beside the value; None when it is not defined."""
    counts = Counter((value >= line, is_good) for value, is_good in items)
    n = len(items)
    if n == 0:
        return None
    passed, good = counts[True, True] + counts[True, False], counts[True, True] + counts[False, True]
    observed = (counts[True, True] + counts[False, False]) / n
    by_chance = (passed * good + (n - passed) * (n - good)) / (n * n)
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def _best(items: Sequence[tuple[float, bool]], lines: Sequence[float]) -> float:
    found = [(verdict_kappa(items, line), line) for line in lines]
    return max(found, key=lambda pair: (-1.0 if pair[0] is None else round(pair[0], 12), pair[1]))[1]


def _candidates(values: Sequence[float]) -> list[float]:
    """The values themselves; of very many some that divide the items evenly."""
    distinct = sorted(set(values))
    if len(distinct) <= _MOST_CANDIDATES:
        return distinct
    ordered = sorted(values)
    return sorted({ordered[len(ordered) * step // _MOST_CANDIDATES] for step in range(_MOST_CANDIDATES)})
