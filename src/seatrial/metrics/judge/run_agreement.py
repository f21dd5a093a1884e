"""How far the draws of a judged metric agreed over a whole run."""

from __future__ import annotations

from collections.abc import Iterable

from seatrial.metrics.base import Score
from seatrial.stats.agreement import krippendorff_alpha


def alpha_of(scores: Iterable[Score]) -> float | None:
    """Krippendorff's alpha (interval) over the draws of one metric's scores; None where nothing was drawn twice."""
    drawn = [_values(score) for score in scores]
    return krippendorff_alpha([values for values in drawn if len(values) > 1])


def _values(score: Score) -> list[float]:
    draws = score.details.get("draws") if isinstance(score.details, dict) else None
    return [draw["value"] for draw in draws] if isinstance(draws, list) else []
