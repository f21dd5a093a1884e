"""One side of a comparison: a run, or a committed baseline, with what is compared of each case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from itertools import groupby
from statistics import fmean
from typing import Annotated

import msgspec

from seatrial.runs.records import GitState, RunRecord, Selection, Source, TrialRecord
from seatrial.runs.store import RunStore
from seatrial.stats.repeats import Reducer, reduced

CaseId = tuple[str, str]
GROUND_TRUTH = "ground_truth"
_JUDGED = ("passed", "failed", "errored")
# What a file may say where a number is meant: sums and squares of it stay numbers.
Figure = Annotated[float, msgspec.Meta(ge=-1e15, le=1e15)]


class MetricFacts(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How values of a metric are read."""

    threshold: Figure | None = None
    is_lower_better: bool = False
    scale: tuple[Figure, Figure | None] | None = None


class Means(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a try took, in the mean; None is unknown, also in part.

    ``cost_usd`` and ``tokens`` count the agent, not its judges.
    """

    duration_s: Figure | None = None
    tokens: Figure | None = None
    cost_usd: Figure | None = None


class CaseSide(msgspec.Struct, frozen=True, omit_defaults=True):
    """The tries of one case in one variant.

    ``checked`` are those whose verdict says something of the agent; ``unjudged`` were spoiled by the outside world.
    ``require`` is how many must pass, None for all. ``scores`` are those of all tries, reduced to one. ``input_id``
    tells whether two cases of one name ask the same. ``thresholds`` are those that are not the metric's usual ones.
    ``demands`` are marks of what the metrics look for, each behind its metric's name; empty where that was not kept.
    """

    case: str
    variant: str = ""
    input_id: str = ""
    passed: int = 0
    checked: int = 0
    unjudged: int = 0
    require: int | None = None
    scores: dict[str, float] = {}
    thresholds: dict[str, float | None] = {}
    demands: tuple[str, ...] = ()
    means: Means = Means()

    @property
    def has_passed(self) -> bool | None:
        """Whether enough tries passed; None when that cannot be told."""
        needed = self.checked if self.require is None else self.require
        if self.checked == 0 or (self.passed < needed <= self.passed + self.unjudged and self.require is not None):
            return None
        return self.passed >= needed

    @property
    def is_flaky(self) -> bool:
        """Whether the tries disagree."""
        return 0 < self.passed < self.checked

    @property
    def id(self) -> CaseId:
        """What tells it from the others of its side."""
        return self.case, self.variant

    @property
    def title(self) -> str:
        """Its name, with its variant where there are several."""
        return f"{self.case} ({self.variant})" if self.variant else self.case


UNKNOWN_MEANS = Means()


@dataclass(frozen=True, slots=True)
class Side:
    """A run or a baseline. ``missing`` counts trials that were planned and not made; ``is_part``: only some of the
    suite's cases were asked for.

    ``sources`` are the files that defined the agent; their text is empty where only their hash is known;
    ``has_all_files`` is False for a side written when fewer of them were kept. ``means`` are over all tries, for what a
    baseline does not keep by case.
    """

    name: str
    run: str
    agent: str
    started_at: datetime
    variants: tuple[str, ...] = ("",)
    models: tuple[str, ...] = ()
    git: GitState | None = None
    sources: tuple[Source, ...] = ()
    agent_file: str = "agent.yaml"
    missing: int = 0
    is_part: bool = False
    cases: Mapping[CaseId, CaseSide] = field(default_factory=dict)
    metrics: Mapping[str, MetricFacts] = field(default_factory=dict)
    means: Means = UNKNOWN_MEANS
    is_baseline: bool = False
    has_all_files: bool = True

    def threshold(self, case: CaseSide, metric: str) -> float | None:
        """What a score of the metric must reach in the case; None where it is only told."""
        facts = self.metrics.get(metric)
        return case.thresholds.get(metric, None if facts is None else facts.threshold)


def side_of_run(store: RunStore, run: RunRecord) -> Side:
    """The run as one side; its trials are read once, case by case."""
    metrics: dict[str, MetricFacts] = {}
    cases: dict[CaseId, CaseSide] = {}
    made = _Sums()
    trials = store.trials(run.id)
    for _, tries in groupby(trials, key=lambda trial: (trial.case_index, trial.case, trial.variant_index)):
        together = list(tries)
        _learn_metrics(together, metrics)
        side = _case_side(together, metrics)
        cases[side.id] = side
        made.add(together)
    return Side(
        name=run.id,
        run=run.id,
        agent=run.agent,
        started_at=run.started_at,
        variants=tuple(variant.name for variant in run.variants) or ("",),
        models=tuple(dict.fromkeys(f"{variant.provider} {variant.model}" for variant in run.variants)),
        git=run.git,
        sources=run.sources,
        has_all_files=run.has_all_files,
        agent_file=run.agent_file,
        missing=max(run.planned - made.trials, 0) + made.cut_off,
        is_part=run.selection != Selection(),
        cases=cases,
        metrics=metrics,
        means=made.means(),
    )


def input_id(text: str) -> str:
    """A short mark of what a case asks."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=4).hexdigest()


def _case_side(tries: Sequence[TrialRecord], metrics: Mapping[str, MetricFacts]) -> CaseSide:
    first = tries[0]
    judged = [trial for trial in tries if trial.outcome in _JUDGED and not _is_spoiled(trial)]
    return CaseSide(
        case=first.case,
        variant=first.variant,
        input_id=input_id(first.input),
        passed=sum(trial.outcome == "passed" for trial in judged),
        checked=len(judged),
        unjudged=sum(map(_is_spoiled, tries)),
        require=first.require,
        scores=_mean_scores(judged),
        thresholds={
            score.metric: score.threshold
            for trial in tries
            for score in trial.scores
            if score.threshold != metrics[score.metric].threshold
        },
        demands=_demands(tries),
        means=_means(judged),
    )


def _demands(tries: Sequence[TrialRecord]) -> tuple[str, ...]:
    """The marks of the try that was measured most fully: an errored one was not measured at all."""
    fullest = max(tries, key=lambda trial: len(trial.scores))
    marks = [f"{score.metric}:{score.asks}" for score in fullest.scores if score.asks]
    if marks and fullest.ground_truth is not None:
        marks.append(f"{GROUND_TRUTH}:{input_id(fullest.ground_truth)}")
    return tuple(sorted(marks))


def _is_spoiled(trial: TrialRecord) -> bool:
    return trial.error is not None and trial.error.kind == "provider"


def _mean_scores(tries: Iterable[TrialRecord]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    how: dict[str, Reducer] = {}
    for trial in tries:
        for score in trial.scores:
            if score.value is not None:
                values.setdefault(score.metric, []).append(score.value)
                how[score.metric] = score.reduce
    return {metric: found[0] if len(found) == 1 else reduced(found, how[metric]) for metric, found in values.items()}


def _learn_metrics(tries: Iterable[TrialRecord], known: dict[str, MetricFacts]) -> None:
    for trial in tries:
        for score in trial.scores:
            if score.metric not in known:
                known[score.metric] = MetricFacts(score.threshold, score.is_lower_better, score.scale)


def _means(tries: Sequence[TrialRecord]) -> Means:
    if not tries:
        return Means()
    costs = [trial.cost_usd for trial in tries if trial.cost_usd is not None]
    return Means(
        duration_s=_mean([trial.duration_s for trial in tries]),
        tokens=None if any(map(_has_unknown_tokens, tries)) else _mean(list(_tokens(tries))),
        cost_usd=_mean(costs) if len(costs) == len(tries) else None,
    )


def _mean(values: Sequence[float]) -> float:
    """The mean; most often there is one value, and very many means are asked for."""
    return float(values[0]) if len(values) == 1 else fmean(values)


def _tokens(tries: Iterable[TrialRecord]) -> Iterator[int]:
    return (trial.usage.input_tokens + trial.usage.output_tokens for trial in tries)


def _has_unknown_tokens(trial: TrialRecord) -> bool:
    return trial.usage.unknown_requests > 0


@dataclass
class _Sums:
    """What all tries took together."""

    trials: int = 0
    cut_off: int = 0
    judged: int = 0
    duration_s: float = 0.0
    tokens: int | None = 0
    cost_usd: float | None = 0.0

    def add(self, tries: Sequence[TrialRecord]) -> None:
        self.trials += len(tries)
        self.cut_off += sum(trial.outcome == "not_run" and not _is_skipped(trial) for trial in tries)
        judged = [trial for trial in tries if trial.outcome in _JUDGED and not _is_spoiled(trial)]
        self.judged += len(judged)
        if self.tokens is not None:
            self.tokens = None if any(map(_has_unknown_tokens, judged)) else self.tokens + sum(_tokens(judged))
        for trial in judged:
            self.duration_s += trial.duration_s
            is_known = self.cost_usd is not None and trial.cost_usd is not None
            self.cost_usd = (self.cost_usd or 0.0) + (trial.cost_usd or 0.0) if is_known else None

    def means(self) -> Means:
        if not self.judged:
            return Means()
        tokens = None if self.tokens is None else self.tokens / self.judged
        cost_usd = None if self.cost_usd is None else self.cost_usd / self.judged
        return Means(self.duration_s / self.judged, tokens, cost_usd)


def _is_skipped(trial: TrialRecord) -> bool:
    """Whether the file itself says that the case is not to be run."""
    return trial.reason.startswith("skipped: ")
