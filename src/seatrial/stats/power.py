"""How small a difference a comparison could have found."""

from __future__ import annotations

import math

from seatrial.stats.distributions import normal_quantile


def smallest_detectable_mean_difference(spread: float, n: int, *, level: float = 0.05, power: float = 0.8) -> float:
    """The mean difference that a paired test of ``n`` cases finds with this power.

    ``spread`` is the standard deviation of the differences by case. Source: Cohen 1988, section 2.3.
    """
    if n < 1:
        return math.inf
    return (normal_quantile(1 - level / 2) + normal_quantile(power)) * spread / math.sqrt(n)


def smallest_detectable_rate_difference(
    discordant_share: float, n: int, *, level: float = 0.05, power: float = 0.8
) -> float:
    """The difference of two pass rates that a McNemar test of ``n`` cases finds with this power; at most 1.

    ``discordant_share`` is the share of cases that only one version passes; the difference cannot be larger than that
    share, so that infinity means: not with these cases. Source: Connor 1987, Biometrics 43.
    """
    if not 0 <= discordant_share <= 1:
        raise ValueError(f"a share lies between 0 and 1, not {discordant_share!r}")
    if n < 1 or discordant_share == 0:
        return math.inf
    alpha, beta = normal_quantile(1 - level / 2), normal_quantile(power)

    def needed_n(difference: float) -> float:
        rest = max(discordant_share - difference * difference, 0.0)
        return ((alpha * math.sqrt(discordant_share) + beta * math.sqrt(rest)) / difference) ** 2

    if needed_n(discordant_share) > n:
        return math.inf
    low, high = 0.0, discordant_share
    while high - low > 1e-12:
        middle = (low + high) / 2
        low, high = (middle, high) if needed_n(middle) > n else (low, middle)
    return high
