"""How often the intervals hold the truth, and how often the tests cry wolf: seeded simulation of 20,000 draws each."""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import accumulate
from math import comb
from statistics import fmean

from seatrial.runs.compare import compare
from seatrial.runs.gate import reasons_to_fail
from seatrial.runs.sides import CaseSide, MetricFacts, Side
from seatrial.stats.intervals import Interval, clustered_interval, mean_interval, paired_rate_interval, wilson
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
    for cases, repeats in ((12, 1), (40, 1), (40, 3)):
        what = f"gate --fail-on worse, no difference, {cases} cases x {repeats}, pass rate and 3 metrics"
        found.append((what, f"{gate_alarms(cases, repeats):.2%}", "at most 5.5 %"))
    for rate in (0.5, 0.9):
        what = f"difference of two pass rates, n = 50, p = {rate:g}"
        found.append((what, f"{difference_coverage(rate, 50):.2%}", "at least 94 %"))
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


def gate_alarms(cases: int, repeats: int) -> float:
    """Two runs of one agent whose cases have levels of their own; how often the whole gate calls the second worse."""
    draw = seeded(f"gate {cases} {repeats}")
    return fmean(_is_alarm(draw, cases, repeats) for _ in range(DRAWS))


def _is_alarm(draw: random.Random, cases: int, repeats: int) -> bool:
    levels = [draw.betavariate(5, 2) for _ in range(cases)]
    found = compare(_side("a", draw, levels, repeats), _side("b", draw, levels, repeats))
    return bool(reasons_to_fail(found, "worse"))


def _side(name: str, draw: random.Random, levels: Sequence[float], repeats: int) -> Side:
    """Scores around each case's level that go together, and a pass rate that goes with them."""
    cases = {}
    for number, level in enumerate(levels):
        tries = [(draw.random() + level) / 2 for _ in range(repeats)]
        scores = {metric: fmean((each + draw.random()) / 2 for each in tries) for metric in ("m1", "m2", "m3")}
        passed = sum(each >= 0.5 for each in tries)
        cases[f"{number}", ""] = CaseSide(f"{number}", passed=passed, checked=repeats, scores=scores)
    facts = dict.fromkeys(("m1", "m2", "m3"), MetricFacts(scale=(0.0, 1.0)))
    return Side(name, name, "agent", datetime(2026, 1, 1, tzinfo=UTC), cases=cases, metrics=facts)


def difference_coverage(rate: float, n: int) -> float:
    """Two runs that agree in most cases; how often the interval holds the true difference, which is 0.

    It is wider than it need be where the two go together, never narrower.
    """
    draw = seeded(f"difference {rate} {n}")

    def one() -> bool:
        both = only_first = only_second = 0
        for _ in range(n):
            first = draw.random() < rate
            second = first if draw.random() < 0.5 else draw.random() < rate
            both += first and second
            only_first += first > second
            only_second += second > first
        return _holds(paired_rate_interval(both, only_first, only_second, n - both - only_first - only_second), 0.0)

    return fmean(one() for _ in range(DRAWS))


def _holds(interval: Interval, truth: float) -> bool:
    return interval.low <= truth <= interval.high


if __name__ == "__main__":
    for row in rows():
        print(*row, sep=" | ", flush=True)
