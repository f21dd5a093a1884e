"""Confidence intervals for rates and means. No bound ever leaves the scale."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from statistics import fmean
from typing import NamedTuple

from seatrial.stats.distributions import normal_quantile, t_quantile

Scale = tuple[float, float]
UNBOUNDED: Scale = (-math.inf, math.inf)


class Interval(NamedTuple):
    """Both ends, included."""

    low: float
    high: float


def wilson(successes: float, n: float, confidence: float = 0.95) -> Interval:
    """The score interval of a rate, inside 0 to 1; all of it when nothing was tried.

    Source: Wilson 1927; recommended for small n by Brown, Cai and DasGupta 2001.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes!r} of {n!r} is no rate")
    return _score_interval(successes, n, normal_quantile(_upper(confidence)))


def standard_error(values: Sequence[float]) -> float:
    """Standard error of the mean of independent values (at least two)."""
    n = len(values)
    if n < 2:
        raise ValueError("a standard error needs two values")
    return math.sqrt(_squares(values) / (n - 1) / n)


def clustered_standard_error(values: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Standard error of the mean where values of one cluster (the repeats of a case) go together.

    Source: Liang and Zeger 1986, with the factor G / (G - 1) for G clusters; as in Miller 2024, "Adding error bars to
    evals", section 2.2.
    """
    sums = _residual_sums(values, clusters)
    groups = len(sums)
    if groups < 2:
        raise ValueError("a clustered standard error needs two clusters")
    return math.sqrt(math.fsum(each * each for each in sums) * groups / (groups - 1)) / len(values)


def t_interval(values: Sequence[float], confidence: float = 0.95, scale: Scale = UNBOUNDED) -> Interval:
    """Student's interval of a mean, cut off at the ends of the scale; the whole scale for fewer than two values."""
    if len(values) < 2:
        return Interval(*scale)
    reach = t_quantile(_upper(confidence), len(values) - 1) * standard_error(values)
    return _inside(scale, fmean(values), reach)


def mean_interval(values: Sequence[float], confidence: float = 0.95, scale: Scale = UNBOUNDED) -> Interval:
    """The interval of a mean score: Wilson's where every value is an end of the scale, else Student's.

    Values that are all 1 on a scale of 0 to 1 have no spread, yet a small number of them proves little.
    """
    low, high = scale
    if values and all(value in scale for value in values):
        part = wilson(sum(value == high for value in values), len(values), confidence)
        return Interval(low + part.low * (high - low), low + part.high * (high - low))
    return t_interval(values, confidence, scale)


def paired_rate_interval(
    both: int, only_first: int, only_second: int, neither: int, confidence: float = 0.95
) -> Interval:
    """The interval of how much higher the second rate is, from what became of each case in both versions; -1 to 1.

    Source: Newcombe 1998, Statistics in Medicine 17, 2635-2650, method 10: Wilson's intervals of both rates, put
    together by their correlation with its correction for small numbers.
    """
    n = both + only_first + only_second + neither
    if n == 0:
        return Interval(-1.0, 1.0)
    first, second = (both + only_first) / n, (both + only_second) / n
    low_first, high_first = wilson(both + only_first, n, confidence)
    low_second, high_second = wilson(both + only_second, n, confidence)
    correlation = _correlation(both, only_first, only_second, neither)
    below = _joined(second - low_second, high_first - first, correlation)
    above = _joined(high_second - second, first - low_first, correlation)
    return Interval(max(-1.0, second - first - below), min(1.0, second - first + above))


def clustered_interval(
    values: Sequence[float], clusters: Sequence[Hashable], confidence: float = 0.95, scale: Scale = UNBOUNDED
) -> Interval:
    """The interval of a mean over clusters, by the clustered standard error and Student's t with G - 1 degrees."""
    groups = len(set(clusters))
    if groups == len(values):
        return mean_interval(values, confidence, scale)
    if groups < 2:
        return Interval(*scale)
    if all(value in scale for value in values):
        return _clustered_rate(values, clusters, confidence, scale)
    reach = t_quantile(_upper(confidence), groups - 1) * clustered_standard_error(values, clusters)
    return _inside(scale, fmean(values), reach)


def bootstrap_interval(
    values: Sequence[float],
    confidence: float = 0.95,
    *,
    statistic: Callable[[Sequence[float]], float] = fmean,
    resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """The percentile bootstrap interval of any statistic; a point for one value. The same seed gives the same interval.

    Source: Efron and Tibshirani 1993, chapter 13.
    """
    if not values:
        raise ValueError("a bootstrap needs a value")
    draw = random.Random(seed)  # noqa: S311 - statistics, no secret
    n = len(values)
    found = sorted(statistic(draw.choices(values, k=n)) for _ in range(resamples))
    tail = (1 - confidence) / 2
    return Interval(_percentile(found, tail), _percentile(found, 1 - tail))


def _clustered_rate(values: Sequence[float], clusters: Sequence[Hashable], confidence: float, scale: Scale) -> Interval:
    """Wilson's interval for as many independent trials as would have the same standard error.

    That number is estimated from the data (Korn and Graubard 1998), so that Student's quantile takes the normal one's
    place. It is known not to be below n / (1 + (m - 1)) for clusters of m, what it is when all of a cluster agree (Kish
    1965): more tries of a case never tell less than one try. The narrower of the two intervals holds.
    """
    low, high = scale
    n = len(values)
    rate = sum(value == high for value in values) / n
    sizes = Counter(clusters)
    fewest = n * n / sum(size * size for size in sizes.values())
    part = _score_interval(rate * fewest, fewest, normal_quantile(_upper(confidence)))
    error = clustered_standard_error([(value - low) / (high - low) for value in values], clusters)
    if error:
        effective = min(rate * (1 - rate) / error**2, n)
        quantile = t_quantile(_upper(confidence), len(sizes) - 1)
        estimated = _score_interval(rate * effective, effective, quantile)
        part = min(part, estimated, key=lambda interval: interval.high - interval.low)
    return Interval(low + part.low * (high - low), low + part.high * (high - low))


def _score_interval(successes: float, n: float, z: float) -> Interval:
    if n <= 0:
        return Interval(0.0, 1.0)
    rate = successes / n
    shrink = 1 + z * z / n
    center = (rate + z * z / (2 * n)) / shrink
    reach = z / shrink * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, center - reach)
    high = 1.0 if successes == n else min(1.0, center + reach)
    return Interval(min(low, rate), max(high, rate))


def _correlation(both: int, only_first: int, only_second: int, neither: int) -> float:
    margins = (both + only_first) * (only_second + neither) * (both + only_second) * (only_first + neither)
    if margins == 0:
        return 0.0
    surplus: float = both * neither - only_first * only_second
    if surplus > 0:
        surplus = max(surplus - (both + only_first + only_second + neither) / 2, 0)
    return surplus / math.sqrt(margins)


def _joined(first: float, second: float, correlation: float) -> float:
    return math.sqrt(max(first * first - 2 * correlation * first * second + second * second, 0.0))


def _inside(scale: Scale, mean: float, reach: float) -> Interval:
    low, high = scale
    return Interval(max(low, mean - reach), min(high, mean + reach))


def _squares(values: Sequence[float]) -> float:
    mean = fmean(values)
    return math.fsum((value - mean) ** 2 for value in values)


def _residual_sums(values: Sequence[float], clusters: Sequence[Hashable]) -> list[float]:
    mean = fmean(values)
    residuals: defaultdict[Hashable, list[float]] = defaultdict(list)
    for value, cluster in zip(values, clusters, strict=True):
        residuals[cluster].append(value - mean)
    return [math.fsum(each) for each in residuals.values()]


def _percentile(ordered: Sequence[float], share: float) -> float:
    """Linear interpolation between order statistics."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def _upper(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not {confidence!r}")
    return 0.5 + confidence / 2
