"""One score per metric for a conversation of several turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from statistics import fmean
from typing import Any

import msgspec

from seatrial.core.usage import UsageTotal
from seatrial.metrics.base import MetricOutcome, Score

_WORST_FIRST: tuple[MetricOutcome, ...] = ("error", "failed", "passed", "scored")


def roll_up(turns: Sequence[Sequence[Score]]) -> tuple[Score, ...]:
    """The mean of each metric over the turns in which it applies, with the worst of their outcomes.

    What each turn scored is kept in the details; reasons name their turn, counted from 1.
    """
    names = dict.fromkeys(score.metric for scores in turns for score in scores)
    return tuple(_of_one(name, turns) for name in names)


def _of_one(name: str, turns: Sequence[Sequence[Score]]) -> Score:
    found = [(number, score) for number, score in enumerate(_by_turn(name, turns), start=1) if score is not None]
    if len(found) == 1:
        return found[0][1]
    applied = [score for _, score in found if score.outcome != "skipped"]
    if not applied:
        return found[0][1]
    outcome = next(word for word in _WORST_FIRST if any(score.outcome == word for score in applied))
    values = [score.value for score in applied if score.value is not None]
    thresholds = {score.threshold for score in applied}
    return msgspec.structs.replace(
        applied[0],
        outcome=outcome,
        value=fmean(values) if values and outcome != "error" else None,
        threshold=thresholds.pop() if len(thresholds) == 1 else min(t for t in thresholds if t is not None),
        reason="; ".join(f"turn {number}: {score.reason}" for number, score in found if _is_telling(score, outcome)),
        **_spent([score for _, score in found]),
        asks="+".join(score.asks for _, score in found),
        details={"turns": [msgspec.to_builtins(score, enc_hook=str) for _, score in found]},
    )


def _spent(scores: Sequence[Score]) -> dict[str, Any]:
    """What the judges of all turns spent together; a cost with an unknown part is unknown."""
    asked = [score for score in scores if score.usage is not None]
    if not asked:
        return {}
    usage = reduce(UsageTotal.plus, (score.usage for score in asked if score.usage is not None))
    costs = [score.cost_usd for score in asked if score.cost_usd is not None]
    return {"usage": usage, "cost_usd": sum(costs) if len(costs) == len(asked) else None}


def _by_turn(name: str, turns: Sequence[Sequence[Score]]) -> Iterator[Score | None]:
    for scores in turns:
        yield next((score for score in scores if score.metric == name), None)


def _is_telling(score: Score, outcome: MetricOutcome) -> bool:
    return bool(score.reason) and score.outcome == outcome
