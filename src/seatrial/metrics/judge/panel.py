"""Several draws of several judges, made into one value."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from statistics import fmean, median
from typing import Any, Literal, assert_never

import msgspec

from seatrial.core.model import Model
from seatrial.errors import MetricError
from seatrial.metrics.base import Measurement
from seatrial.metrics.judge.judge import Judge, Reply, spent

Combine = Literal["median", "mean", "majority"]
_COMBINES = ("median", "mean", "majority")


class Draw(msgspec.Struct, frozen=True, omit_defaults=True):
    """One verdict of one judge."""

    value: float
    reason: str
    replies: tuple[Reply, ...]
    details: Any = None


class Panel:
    """The judges of a metric: ``model`` and perhaps further ``models``, each asked ``draws`` times.

    ``combine`` says how verdicts become one value: ``median`` (the mean of the middle two where there is an even
    number), ``mean``, or ``majority`` (the most frequent; of equally frequent ones the worse).
    """

    def __init__(
        self,
        model: Model,
        *,
        models: Sequence[Model] = (),
        draws: int = 1,
        combine: Combine = "median",
        temperature: float = 0.0,
    ) -> None:
        if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
            raise MetricError(f"draws is a whole number from 1 upwards, not {draws!r}")
        if combine not in _COMBINES:
            raise MetricError(f"verdicts cannot be combined by {combine!r}", hint=f"one of {', '.join(_COMBINES)}")
        self._judges = tuple(Judge(each, temperature=temperature) for each in (model, *models))
        self._draws = draws
        self._combine: Combine = combine

    async def measure(self, draw: Callable[[Judge, int | None], Awaitable[Draw]]) -> Measurement:
        """One value for all draws, all asked at once; ``draw`` gets the judge and a seed that tells its draws apart.

        Raises the first error when any draw fails: a verdict without some of its draws would be another verdict.
        """
        seeds = [None] if self._draws == 1 else list(range(self._draws))
        asked = [draw(judge, seed) for judge in self._judges for seed in seeds]
        found = await asyncio.gather(*asked, return_exceptions=True)
        for each in found:
            if isinstance(each, BaseException):
                raise each
        return self.combined([each for each in found if isinstance(each, Draw)])

    def combined(self, draws: Sequence[Draw]) -> Measurement:
        """One value for all draws; every draw is kept in the details, with the agreement where there are several."""
        values = [draw.value for draw in draws]
        value = _combined(values, self._combine)
        nearest = min(draws, key=lambda draw: abs(draw.value - value))
        details: dict[str, Any] = {
            "draws": [_told(draw) for draw in draws],
            **spent([reply for draw in draws for reply in draw.replies]),
        }
        reason = nearest.reason
        if len(draws) > 1:
            details |= {"combined_by": self._combine, "agreement": agreement(values)}
            reason = f"{self._combine} of {', '.join(f'{each:g}' for each in values)}: {reason}"
        return Measurement(value, reason, details)


def agreement(values: Sequence[float]) -> float:
    """The share of pairs of draws that are equal."""
    pairs = len(values) * (len(values) - 1) / 2
    equal = sum(count * (count - 1) / 2 for count in Counter(values).values())
    return equal / pairs if pairs else 1.0


def _combined(values: Sequence[float], how: Combine) -> float:
    match how:
        case "median":
            return median(values)
        case "mean":
            return fmean(values)
        case "majority":
            counts = Counter(values)
            return min(values, key=lambda value: (-counts[value], value))
        case _:
            assert_never(how)


def _told(draw: Draw) -> dict[str, Any]:
    told: dict[str, Any] = {"judge": draw.replies[-1].model, "value": draw.value, "reason": draw.reason}
    if draw.details is not None:
        told["details"] = draw.details
    return told
