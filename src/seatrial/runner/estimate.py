"""What a plan will probably take, from what earlier trials took."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from seatrial.runner.plan import Plan
from seatrial.runs.records import RunRecord
from seatrial.runs.store import RunStore, runs_of


@dataclass(frozen=True, slots=True)
class Estimate:
    """Sums for ``trials`` trials, of which each is taken to be as those of the run ``source``. Cost None is unknown."""

    trials: int
    source: str
    requests: float
    tokens: float
    duration_s: float
    cost_usd: float | None


def estimate(plan: Plan, run: RunRecord, store: RunStore) -> Estimate | None:
    """From the newest stored run of the same agent file with the same models; None when there is none."""
    for earlier in runs_of(store, PurePath(run.agent_file).name):
        if earlier.agent != run.agent or {v.model for v in earlier.variants} != {v.model for v in run.variants}:
            continue
        trials = [trial for trial in store.trials(earlier.id) if trial.total.usage.requests]
        made = [trial.total for trial in trials]
        if made:
            break
    else:
        return None
    count = sum(1 for _ in plan)
    scale = count / len(made)
    costs = [spent.cost_usd for spent in made if spent.cost_usd is not None]
    return Estimate(
        trials=count,
        source=earlier.id,
        requests=scale * sum(spent.usage.requests for spent in made),
        tokens=scale * sum(spent.usage.input_tokens + spent.usage.output_tokens for spent in made),
        duration_s=scale * sum(trial.duration_s for trial in trials) / run.concurrency,
        cost_usd=count * sum(costs) / len(costs) if costs else None,
    )
