"""Quantiles and tails of the normal and of Student's t distribution, without any library."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_STANDARD = NormalDist()
_TINY = 1e-300
_EPSILON = 1e-16
_MAX_STEPS = 500


def normal_quantile(probability: float) -> float:
    """The z below which a standard normal value lies with this probability, 0 < probability < 1."""
    return _STANDARD.inv_cdf(probability)


@lru_cache(maxsize=1024)
def t_quantile(probability: float, df: float) -> float:
    """The t below which a Student t value with ``df`` degrees of freedom lies with this probability."""
    if not 0 < probability < 1:
        raise ValueError(f"a probability lies between 0 and 1, not {probability!r}")
    if probability == 0.5:
        return 0.0
    if probability < 0.5:
        return -t_quantile(1 - probability, df)
    low, high = 0.0, 2.0
    while 1 - t_two_sided(high, df) / 2 < probability:
        high *= 2
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if 1 - t_two_sided(middle, df) / 2 < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def t_two_sided(t: float, df: float) -> float:
    """The probability that a Student t value is at least as far from 0 as ``t``."""
    if df <= 0:
        raise ValueError(f"degrees of freedom are positive, not {df!r}")
    if math.isinf(t):
        return 0.0
    return incomplete_beta(df / 2, 0.5, df / (df + t * t))


def incomplete_beta(a: float, b: float, x: float) -> float:
    """The regularized incomplete beta function I_x(a, b) for 0 <= x <= 1.

    Source: the continued fraction of Lentz as in Press et al., Numerical Recipes, section 6.4 (1992).
    """
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    front = math.exp(log_front)
    if x < (a + 1) / (a + b + 2):
        return front * _continued_fraction(a, b, x) / a
    return 1 - front * _continued_fraction(b, a, 1 - x) / b


def _continued_fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, _MAX_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            result *= d * c
        if abs(d * c - 1) < _EPSILON:
            break
    return result


def _away_from_zero(number: float) -> float:
    return number if abs(number) > _TINY else _TINY
