"""Tests of two versions on the same cases. Every p-value is two-sided."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from seatrial.stats.distributions import t_two_sided
from seatrial.stats.intervals import standard_error

_EXACT_UP_TO = 16
_NOISE = 1e-12
_FEW_VALUES = 4
_DIGITS = 9
_ROUNDED = 1e-6


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """The exact p-value for pass and fail pairs: how many cases only the first, and only the second, passed.

    Source: McNemar 1947; the exact conditional form (sign test) as in Fagerland et al. 2013.
    """
    if only_first < 0 or only_second < 0:
        raise ValueError("counts are not negative")
    n = only_first + only_second
    ways = tail = 1
    for successes in range(min(only_first, only_second)):
        ways = ways * (n - successes) // (successes + 1)
        tail += ways
    return min(1.0, 2 * tail / (1 << n))


def fisher_exact(passed_first: int, n_first: int, passed_second: int, n_second: int) -> float:
    """The exact p-value for two rates of independent tries, such as those of one case in two versions.

    Tables that are no more likely than the one seen count, as in R's ``fisher.test``. Source: Fisher 1934.
    """
    if not (0 <= passed_first <= n_first and 0 <= passed_second <= n_second):
        raise ValueError("no more tries can pass than were made")
    passed = passed_first + passed_second
    lowest, highest = max(0, passed - n_second), min(passed, n_first)
    ways = [math.comb(n_first, k) * math.comb(n_second, passed - k) for k in range(lowest, highest + 1)]
    seen = ways[passed_first - lowest]
    return sum(each for each in ways if each <= seen) / sum(ways)


def paired_t(differences: Sequence[float]) -> float:
    """The p-value of Student's paired test for a mean difference of 0; 1 for fewer than two differences.

    Differences without any spread have no t value: then it is the chance that all signs agree, 2 to the power 1 - n.
    Source: Student 1908.
    """
    n = len(differences)
    if n < 2:
        return 1.0
    mean = fmean(differences)
    error = standard_error(differences)
    if error <= _NOISE * max(abs(mean), _NOISE):
        return 1.0 if abs(mean) <= _NOISE else 2.0 ** (1 - n)
    return t_two_sided(mean / error, n - 1)


def sign_flip(differences: Sequence[float], *, draws: int = 10_000, seed: int = 0) -> float:
    """The p-value of the paired permutation test: exact for up to 16 differences that are not 0, and for any number of
    them that take few values, as shares of tries do; else by seeded draws.

    Source: Fisher 1935; with (hits + 1) / (draws + 1) after Phipson and Smyth 2010.
    """
    changed = [difference for difference in differences if difference]
    if not changed:
        return 1.0
    seen = abs(math.fsum(changed)) * (1 - _NOISE)
    if len(changed) <= _EXACT_UP_TO:
        sums = _all_signed_sums(changed)
        return sum(abs(each) >= seen for each in sums) / len(sums)
    sizes = Counter(round(abs(difference), _DIGITS) for difference in changed)
    if len(sizes) <= _FEW_VALUES:
        ways = _ways_of_sums(sizes)
        return sum(count for total, count in ways.items() if abs(total) >= seen - _ROUNDED) / (1 << len(changed))
    draw = random.Random(seed)  # noqa: S311 - statistics, no secret
    hits = sum(abs(_signed_sum(changed, draw)) >= seen for _ in range(draws))
    return (hits + 1) / (draws + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted for being several, in the order given; compare each with the level.

    Source: Holm 1979.
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def _all_signed_sums(differences: Sequence[float]) -> list[float]:
    sums = [0.0]
    for difference in differences:
        sums = [each + signed for each in sums for signed in (difference, -difference)]
    return sums


def _ways_of_sums(sizes: Mapping[float, int]) -> dict[float, int]:
    """How many choices of signs lead to each sum, when each size occurs so often."""
    ways = {0.0: 1}
    for size, n in sizes.items():
        longer: dict[float, int] = {}
        for plus in range(n + 1):
            step, count = (2 * plus - n) * size, math.comb(n, plus)
            for total, before in ways.items():
                key = round(total + step, _DIGITS)
                longer[key] = longer.get(key, 0) + before * count
        ways = longer
    return ways


def _signed_sum(differences: Sequence[float], draw: random.Random) -> float:
    signs = draw.getrandbits(len(differences))
    total = 0.0
    for difference in differences:
        total += difference if signs & 1 else -difference
        signs >>= 1
    return total
