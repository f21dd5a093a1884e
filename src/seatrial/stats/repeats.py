"""What several tries of one case say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean, median
from typing import Literal, assert_never

Reducer = Literal["mean", "median", "mode", "max", "min"]


def pass_at_k(n: int, passed: int, k: int) -> float:
    """The chance that at least one of ``k`` tries passes, from ``passed`` of ``n``; unbiased.

    Source: Chen et al. 2021, "Evaluating large language models trained on code", section 2.1.
    """
    _check(n, passed, k)
    return 1 - math.comb(n - passed, k) / math.comb(n, k)


def pass_hat_k(n: int, passed: int, k: int) -> float:
    """The chance that all of ``k`` tries pass (pass^k), from ``passed`` of ``n``; unbiased.

    Source: Yao et al. 2024, "tau-bench", section 3.
    """
    _check(n, passed, k)
    return math.comb(passed, k) / math.comb(n, k)


def is_flaky(passed: Sequence[bool]) -> bool:
    """Whether the tries disagree."""
    return len(set(passed)) > 1


def reduced(values: Sequence[float], how: Reducer) -> float:
    """One value for several tries. Of equally frequent values ``mode`` takes the smallest."""
    if not values:
        raise ValueError("there is nothing to reduce")
    match how:
        case "mean":
            return fmean(values)
        case "median":
            return median(values)
        case "mode":
            counts = Counter(values)
            return min(values, key=lambda value: (-counts[value], value))
        case "max":
            return max(values)
        case "min":
            return min(values)
        case _:
            assert_never(how)


def _check(n: int, passed: int, k: int) -> None:
    if not 0 <= passed <= n or not 1 <= k <= n:
        raise ValueError(f"cannot draw {k} of {n} tries of which {passed} passed")
