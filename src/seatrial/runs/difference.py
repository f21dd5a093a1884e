"""One difference between two sides, measured on the same cases, and the test of it."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Literal

import msgspec

from seatrial.stats.intervals import Interval, Scale, paired_rate_interval, t_interval
from seatrial.stats.paired import mcnemar_exact, paired_t, sign_flip
from seatrial.stats.power import smallest_detectable_mean_difference, smallest_detectable_rate_difference

Verdict = Literal["better", "worse", "no evidence"]
TestName = Literal["McNemar", "permutation", "paired t"]

LEVEL = 0.05
_T_FROM = 30  # below that many cases the mean of skewed scores is not near enough to normal
_T_FROM_SHARES = 200


class Difference(msgspec.Struct, frozen=True):
    """Two means over the same ``n`` cases, and the test of their difference (second minus first).

    ``p`` is two-sided; ``p_adjusted`` is Holm's, over the metrics. ``interval_95`` is None where the cases do not vary.
    ``smallest_detectable`` is what a comparison of these cases finds with 80 % power; None: no difference would do.
    """

    n: int
    before: float
    after: float
    difference: float
    interval_95: Interval | None
    p: float
    p_adjusted: float
    test: TestName
    smallest_detectable: float | None
    verdict: Verdict


def of_single_tries(shares: Sequence[tuple[float, float]]) -> Difference:
    """The difference of two pass rates, from 1 or 0 of each case on both sides, by McNemar's test."""
    n = len(shares)
    only_before = sum(one > other for one, other in shares)
    only_after = sum(other > one for one, other in shares)
    both = sum(one == other == 1 for one, other in shares)
    neither = n - only_before - only_after - both
    p = mcnemar_exact(only_before, only_after)
    smallest = smallest_detectable_rate_difference((only_before + only_after) / n, n)
    difference = (only_after - only_before) / n
    return Difference(
        n=n,
        before=(both + only_before) / n,
        after=(both + only_after) / n,
        difference=difference,
        interval_95=paired_rate_interval(both, only_before, only_after, neither),
        p=p,
        p_adjusted=p,
        test="McNemar",
        smallest_detectable=smallest if smallest <= 1 else None,
        verdict=_verdict(p, difference),
    )


def of_shares(shares: Sequence[tuple[float, float]]) -> Difference:
    """The same from the share of passed tries of each case, by permutation: McNemar's test where each had one try."""
    return of_values(shares, is_lower_better=False, scale=(0.0, 1.0), t_from=_T_FROM_SHARES)


def of_values(
    values: Sequence[tuple[float, float]], *, is_lower_better: bool, scale: Scale, t_from: int = _T_FROM
) -> Difference:
    """The paired test of two means: by permutation, from ``t_from`` cases on Student's t."""
    differences = [after - before for before, after in values]
    n = len(differences)
    is_large = n >= t_from
    varies = len(set(differences)) > 1
    p = paired_t(differences) if is_large else sign_flip(differences)
    low, high = scale
    reach = (low - high, high - low)
    spread = stdev(differences) if varies else 0.0
    mean = fmean(differences)
    return Difference(
        n=n,
        before=fmean(before for before, _ in values),
        after=fmean(after for _, after in values),
        difference=mean,
        interval_95=t_interval(differences, scale=reach) if varies else None,
        p=p,
        p_adjusted=p,
        test="paired t" if is_large else "permutation",
        smallest_detectable=smallest_detectable_mean_difference(spread, n) if varies else None,
        verdict=_verdict(p, -mean if is_lower_better else mean),
    )


def adjusted(found: Difference, p: float, *, is_lower_better: bool) -> Difference:
    """The same difference, judged by a p-value adjusted for being one of several."""
    gain = -found.difference if is_lower_better else found.difference
    return msgspec.structs.replace(found, p_adjusted=p, verdict=_verdict(p, gain))


def _verdict(p: float, gain: float) -> Verdict:
    if p >= LEVEL or gain == 0:
        return "no evidence"
    return "better" if gain > 0 else "worse"
