"""How often the intervals hold the truth, and how often the tests cry wolf: seeded simulation of 20,000 draws each."""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Callable, Sequence
from itertools import accumulate
from math import comb
from statistics import fmean

from seatrial.stats.intervals import Interval, clustered_interval, mean_interval, wilson
from seatrial.stats.paired import mcnemar_exact, paired_t

DRAWS = 20_000
RATES = [step / 100 for step in range(5, 100, 5)]
BAR = "94 to 96 %"


def rows() -> list[tuple[str, str, str]]:
    """(what, figure, bar)."""
    found = []
    for n in (20, 50, 200):
        coverage = fmean(wilson_coverage(rate, n) for rate in RATES)
        found.append((f"Wilson, n = {n}, mean over p = 0.05 to 0.95", f"{coverage:.2%}", BAR))
    for name, draw, truth in SCORES:
        for n in (50, 200):
            found.append((f"t, n = {n}, {name}", f"{t_coverage(draw, truth, n):.2%}", BAR))
    for cases, repeats in ((50, 3), (100, 5)):
        found.append((f"clustered pass rate, {cases} cases x {repeats}", f"{rate_coverage(cases, repeats):.2%}", BAR))
        found.append((f"clustered mean, {cases} cases x {repeats}", f"{mean_coverage(cases, repeats):.2%}", BAR))
    found.append(("McNemar at 5 %, no difference, 100 cases", f"{mcnemar_alarms(100):.2%}", "at most 5.5 %"))
    found.append(("paired t at 5 %, no difference, 50 cases", f"{t_alarms(50):.2%}", "at most 5.5 %"))
    return found


def seeded(name: str) -> random.Random:
    """The same numbers for the same name, in every run."""
    return random.Random(name)  # noqa: S311 - statistics, no secret


def wilson_coverage(rate: float, n: int) -> float:
    """Draws of n trials at this rate; how often the interval holds it."""
    draw = seeded(f"wilson {rate} {n}")
    cumulative = list(accumulate(comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(n + 1)))
    holds = [low <= rate <= high for low, high in (wilson(k, n) for k in range(n + 1))]
    return fmean(holds[min(bisect(cumulative, draw.random()), n)] for _ in range(DRAWS))


SCORES: list[tuple[str, Callable[[random.Random], float], float]] = [
    ("uniform scores", lambda draw: draw.random(), 0.5),
    ("skewed scores (beta 5, 2)", lambda draw: draw.betavariate(5, 2), 5 / 7),
    ("levels 1 to 5", lambda draw: (draw.choices((0, 0.25, 0.5, 0.75, 1), (1, 2, 3, 4, 2)))[0], 7 / 12),
]


def t_coverage(score: Callable[[random.Random], float], truth: float, n: int) -> float:
    """How often the interval of a mean of n scores holds the true mean."""
    draw = seeded(f"t {truth} {n}")
    return fmean(_holds(mean_interval([score(draw) for _ in range(n)], scale=(0, 1)), truth) for _ in range(DRAWS))


def rate_coverage(cases: int, repeats: int) -> float:
    """Pass and fail where each case has a rate of its own (beta 2, 1)."""
    draw = seeded(f"rate {cases} {repeats}")
    clusters = [case for case in range(cases) for _ in range(repeats)]

    def one() -> bool:
        rates = [draw.betavariate(2, 1) for _ in range(cases)]
        values = [float(draw.random() < rates[case]) for case in clusters]
        return _holds(clustered_interval(values, clusters, scale=(0, 1)), 2 / 3)

    return fmean(one() for _ in range(DRAWS))


def mean_coverage(cases: int, repeats: int) -> float:
    """Scores of a case that share half of their variance."""
    draw = seeded(f"mean {cases} {repeats}")
    clusters = [case for case in range(cases) for _ in range(repeats)]

    def one() -> bool:
        levels = [draw.random() for _ in range(cases)]
        values = [(levels[case] + draw.random()) / 2 for case in clusters]
        return _holds(clustered_interval(values, clusters, scale=(0, 1)), 0.5)

    return fmean(one() for _ in range(DRAWS))


def mcnemar_alarms(cases: int) -> float:
    """Two equal versions, each case with a rate of its own; how often p is below 5 %."""
    draw = seeded(f"mcnemar {cases}")

    def one() -> bool:
        rates = [draw.betavariate(2, 1) for _ in range(cases)]
        pairs = [(draw.random() < rate, draw.random() < rate) for rate in rates]
        return mcnemar_exact(sum(a > b for a, b in pairs), sum(b > a for a, b in pairs)) < 0.05

    return fmean(one() for _ in range(DRAWS))


def t_alarms(cases: int) -> float:
    """Two equal versions with skewed scores; how often p is below 5 %."""
    draw = seeded(f"alarms {cases}")

    def differences() -> Sequence[float]:
        return [draw.betavariate(5, 2) - draw.betavariate(5, 2) for _ in range(cases)]

    return fmean(paired_t(differences()) < 0.05 for _ in range(DRAWS))


def _holds(interval: Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ", flush=True)
