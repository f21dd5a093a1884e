"""Asks the judges of an agent about answers that people have labelled."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose

import msgspec

from seatrial.config.labels import Label, LabelRow
from seatrial.core.abort import AbortSignal
from seatrial.core.usage import UsageTotal
from seatrial.errors import ConfigError, RunError
from seatrial.metrics.base import Evidence, Score
from seatrial.metrics.grading import GradedMetric
from seatrial.metrics.judge.calibration import Judged, JudgeReport, Scaled, calibrate
from seatrial.metrics.judge.material import turned_round
from seatrial.runner.evidence import passages_in
from seatrial.runs.records import RunRecord, TrialRecord
from seatrial.runs.store import RunStore

_ROUNDED = 1e-6
TrialsByKey = Mapping[tuple[str, str, int], TrialRecord]


@dataclass(slots=True)
class Item:
    """One answer with what people said of it, by metric; several people, several labels."""

    name: str
    evidence: Evidence
    labels: dict[str, list[Label]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Questions:
    """How a judge is asked: ``draws`` times the same, and once with the material turned round if ``with_order``."""

    draws: int = 3
    with_order: bool = True
    concurrency: int = 8

    def count(self, items: int) -> int:
        """How often a judge is asked about so many items."""
        return items * (self.draws + self.with_order)


def items_of(
    rows: Sequence[LabelRow], trials: TrialsByKey, run: RunRecord | None, evidence_of: Mapping[str, Evidence]
) -> list[Item]:
    """The labelled answers; rows about one answer, by several people, are one item.

    A row without an answer of its own takes that of the stored trial it names. Raises `ConfigError` where there is
    none. ``evidence_of`` holds by case, and under ``""`` for all others, what the agent file itself says: instructions,
    tools, passages.
    """
    items: dict[object, Item] = {}
    for row in rows:
        key = (row.case, row.variant, row.repeat, row.input, row.output, row.context)
        item = items.get(key)
        if item is None:
            name = row.case or f"line {row.line}"
            item = items[key] = Item(name, _evidence(row, trials, run, evidence_of.get(row.case, evidence_of[""])))
        for metric, label in row.labels.items():
            item.labels.setdefault(metric, []).append(label)
    return list(items.values())


async def ask(
    metric: GradedMetric, name: str, items: Sequence[Item], questions: Questions, scaled: Scaled, stop: AbortSignal
) -> JudgeReport:
    """Asks one judge about every item that is labelled for it, several at once. Raises `AbortedError` on a stop."""
    room = asyncio.Semaphore(questions.concurrency)
    labelled = [item for item in items if item.labels.get(name)]
    asked = [stop.race(_asked(metric, item, questions, room)) for item in labelled]
    answers = await asyncio.gather(*asked)
    judged = [
        _judged(item, answer, name)
        for item, answer in zip(labelled, answers, strict=True)
        if answer.first.value is not None
    ]
    lost = [(item.name, answer.first) for item, answer in zip(labelled, answers, strict=True)]
    usage, cost_usd = _spent(answers)
    return JudgeReport(
        metric=name,
        calibration=calibrate(judged, scaled) if judged else None,
        errors={item: score.reason for item, score in lost if score.outcome == "error"},
        skipped={item: score.reason for item, score in lost if score.outcome == "skipped"},
        usage=usage,
        cost_usd=cost_usd,
    )


@dataclass(frozen=True, slots=True)
class _Answer:
    first: Score
    again: Sequence[Score]
    turned: Score | None

    @property
    def all(self) -> Iterator[Score]:
        yield from (self.first, *self.again)
        if self.turned is not None:
            yield self.turned


async def _asked(metric: GradedMetric, item: Item, questions: Questions, room: asyncio.Semaphore) -> _Answer:
    async with room:
        first = await metric.grade(item.evidence)
        if first.value is None:
            return _Answer(first, (), None)
        again = [await metric.grade(item.evidence) for _ in range(questions.draws - 1)]
        turned = None
        if questions.with_order:
            with turned_round():
                turned = await metric.grade(item.evidence)
        return _Answer(first, again, turned)


def _judged(item: Item, answer: _Answer, name: str) -> Judged:
    return Judged(
        name=item.name,
        labels=tuple(item.labels[name]),
        value=answer.first.value or 0.0,
        length=len(item.evidence.output),
        again=tuple(score.value for score in answer.again if score.value is not None),
        turned=None if answer.turned is None else answer.turned.value,
    )


def _spent(answers: Iterable[_Answer]) -> tuple[UsageTotal, float | None]:
    usage, cost_usd = UsageTotal(), 0.0
    is_known = True
    for answer in answers:
        for score in answer.all:
            if score.usage is None or not score.usage.requests:
                continue
            usage = usage.plus(score.usage)
            is_known = is_known and score.cost_usd is not None
            cost_usd += score.cost_usd or 0.0
    return usage, cost_usd if is_known else None


def trials_of(rows: Sequence[LabelRow], store: RunStore, run: RunRecord) -> TrialsByKey:
    """The stored trials whose answers were labelled, with their conversations."""
    wanted = {row.case for row in rows if row.case}
    found = (trial for case in wanted for trial in store.trials(run.id, case=case, with_messages=True))
    return {(trial.case, trial.variant, trial.repeat): trial for trial in found}


def own_scores(metric: str, rows: Sequence[LabelRow], trials: TrialsByKey) -> int:
    """How many labels there are, if each is what the judge itself said of the stored trial; else 0.

    An export of a run holds the judge's scores where people are to write theirs.
    """
    labelled = [row for row in rows if metric in row.labels]
    return len(labelled) if all(_is_own(metric, row, trials) for row in labelled) else 0


def _is_own(metric: str, row: LabelRow, trials: TrialsByKey) -> bool:
    trial, label = trials.get((row.case, row.variant, row.repeat)), row.labels[metric]
    if trial is None or isinstance(label, bool):
        return False
    found = [score.value for score in trial.scores if score.metric == metric and score.value is not None]
    return any(isclose(label, value, abs_tol=_ROUNDED) for value in found)


def _evidence(row: LabelRow, trials: TrialsByKey, run: RunRecord | None, agent: Evidence) -> Evidence:
    if row.output is not None:
        return msgspec.structs.replace(
            agent,
            input=row.input,
            output=row.output,
            ground_truth=row.ground_truth,
            context=row.context,
            case=row.case,
        )
    if run is None:
        raise RunError(f"line {row.line} names the case {row.case!r}, and no run is stored here that has its answer")
    trial = trials.get((row.case, row.variant, row.repeat))
    if trial is None:
        raise ConfigError(
            f"line {row.line}: run {run.id} has no trial {row.repeat} of the case {row.case!r}",
            hint="name the run whose answers were labelled with --run",
        )
    return msgspec.structs.replace(
        agent,
        input=row.input or trial.input,
        output=trial.output,
        messages=trial.messages,
        ground_truth=trial.ground_truth if row.ground_truth is None else row.ground_truth,
        context=row.context or (*agent.context, *passages_in(trial.messages)),
        case=row.case,
    )
