"""A stored run as reports see it: its record, its tally, and its trials read as they are asked for."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import PurePath
from typing import NamedTuple

from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage
from seatrial.core.usage import UsageTotal
from seatrial.metrics.base import MetricOutcome, Score
from seatrial.metrics.summary import MetricSummary, summarize
from seatrial.metrics.totals import Total, has_say, totals_of
from seatrial.reporters.repeats import Repeats, repeats_of
from seatrial.runs.records import CaseTally, Outcome, RunRecord, Spent, Tally, TrialRecord
from seatrial.runs.store import RunStore
from seatrial.runs.verdict import exit_code
from seatrial.stats.intervals import Interval, clustered_interval, wilson

FAILED: tuple[Outcome, ...] = ("failed",)
ERRORED: tuple[Outcome, ...] = ("errored",)
NOT_PASSED: tuple[Outcome, ...] = ("failed", "errored", "unchecked", "not_run")


class Rate(NamedTuple):
    """A pass rate and its 95 % interval, which counts ``cases``: several tries of one tell nothing of the others."""

    passed: int
    checked: int
    interval: Interval
    cases: int


class Unmeasured(NamedTuple):
    """A metric that gave no score in trials that have a verdict all the same, and why in the first of them."""

    metric: str
    outcome: MetricOutcome
    trials: int
    reason: str


def rate_of(cases: Sequence[CaseTally]) -> Rate | None:
    """The pass rate of these tries, None when none has a verdict.

    Several tries of a case are no independent trials: then the interval is clustered by case.
    """
    checked = [case for case in cases if case.checked]
    if not checked:
        return None
    passed, total = sum(case.passed for case in checked), sum(case.checked for case in checked)
    clusters = [case.case for case in checked for _ in range(case.checked)]
    cases_tried = len(set(clusters))
    if cases_tried == total:
        return Rate(passed, total, wilson(passed, total), total)
    values = [float(number < case.passed) for case in checked for number in range(case.checked)]
    return Rate(passed, total, clustered_interval(values, clusters, scale=(0.0, 1.0)), cases_tried)


@dataclass(frozen=True)
class Report:
    """One run, whole or under way. Everything is counted from the stored trials."""

    run: RunRecord
    tally: Tally
    store: RunStore

    @classmethod
    def of(cls, store: RunStore, run: RunRecord) -> Report:
        """The report of a run in a store."""
        return cls(run, store.tally(run.id), store)

    @cached_property
    def cases(self) -> list[CaseTally]:
        """The tries of each case in each variant, counted."""
        return self.store.case_tallies(self.run.id)

    @property
    def exit_code(self) -> int:
        """How a command that reports this run ends."""
        return exit_code(self.run, self.tally, self.cases)

    @cached_property
    def repeats(self) -> Repeats | None:
        """What several tries of each case say together, None when there was one of each."""
        return repeats_of(self.cases)

    @cached_property
    def rate(self) -> Rate | None:
        """The pass rate over all trials, None when nothing was checked."""
        return rate_of(self.cases)

    def rates_by_variant(self) -> dict[str, Rate | None]:
        """The pass rate of each variant, in their order; empty when there is only one."""
        names = [variant.name for variant in self.run.variants]
        if len(names) < 2:
            return {}
        return {name: rate_of([case for case in self.cases if case.variant == name]) for name in names}

    @cached_property
    def metrics(self) -> list[MetricSummary]:
        """What each metric comes to, in the order of their first appearance."""
        return summarize(self._scored())

    @cached_property
    def totals(self) -> list[Total]:
        """The weighted total of all metrics and of each group; empty where the file names no group and no weight."""
        is_asked = any(has_say(score) for _, scores in self._scored() for score in scores)
        return totals_of(self._scored()) if is_asked else []

    def _scored(self) -> Iterator[tuple[str, tuple[Score, ...]]]:
        """The case and the scores of each trial; the name of a case is one text, however often it is told."""
        return ((sys.intern(trial.case), trial.scores) for trial in self.trials())

    @cached_property
    def judges(self) -> Spent:
        """What judges spent, of what the tally counts."""
        usage, costs = UsageTotal(), []
        for trial in self.trials():
            spent = trial.judges
            if spent.usage.requests:
                usage = usage.plus(spent.usage)
                costs.append(spent.cost_usd)
        known = [cost for cost in costs if cost is not None]
        return Spent(usage, sum(known) if known and len(known) == len(costs) else None)

    @cached_property
    def unmeasured(self) -> list[Unmeasured]:
        """Metrics with a threshold that were skipped beside others, and those that gave an error without harm."""
        counts: Counter[tuple[str, MetricOutcome]] = Counter()
        reasons: dict[tuple[str, MetricOutcome], str] = {}
        for trial in self.trials(outcomes=("passed", "failed", "unchecked")):
            for score in trial.scores:
                if score.outcome == "error" or (score.outcome == "skipped" and score.threshold is not None):
                    counts[score.metric, score.outcome] += 1
                    reasons.setdefault((score.metric, score.outcome), score.reason)
        return [Unmeasured(*key, count, reasons[key]) for key, count in counts.items()]

    @cached_property
    def warned(self) -> Counter[str]:
        """What there is to say of trials besides their verdicts, and of how many."""
        return Counter(warning for trial in self.trials() for warning in trial.warnings)

    def trials(
        self, *, outcomes: Collection[Outcome] | None = None, with_messages: bool = False
    ) -> Iterator[TrialRecord]:
        """The trials in the order of the file."""
        return self.store.trials(self.run.id, outcomes=outcomes, with_messages=with_messages)

    @cached_property
    def _met_by_some(self) -> set[tuple[str, str]]:
        return {(case.case, case.variant) for case in self.cases if case.require is not None and case.is_met}

    def is_tolerated(self, trial: TrialRecord) -> bool:
        """Whether a try that did not pass does no harm, because as many others passed as the case requires."""
        return trial.outcome in ("failed", "errored") and (trial.case, trial.variant) in self._met_by_some

    def failures(self, outcomes: Collection[Outcome] = FAILED + ERRORED) -> Iterator[TrialRecord]:
        """The trials that failed or errored and do harm, in the order of the file."""
        return (trial for trial in self.trials(outcomes=outcomes) if not self.is_tolerated(trial))

    def warnings_of(self, trial: TrialRecord) -> list[str]:
        """What the replies of a trial warn of, and its failed tool calls, each once; its messages are read for that."""
        tries = self.store.trials(self.run.id, case=trial.case, with_messages=True)
        same = next((one for one in tries if (one.variant, one.repeat) == (trial.variant, trial.repeat)), trial)
        return list(dict.fromkeys(warning for message in same.messages for warning in _warnings(message)))

    def place_of(self, trial: TrialRecord) -> str:
        """Where the case is written, as the user named the agent file: ``agent.yaml:12``; empty when unknown."""
        if trial.line is None:
            return ""
        agent_file = PurePath(self.run.agent_file)
        file = agent_file if trial.file is None else agent_file.parent / trial.file
        return f"{file}:{trial.line}"

    def tries(self, *, with_messages: bool = False) -> Iterator[list[TrialRecord]]:
        """The tries of each case in each variant, together."""
        trials = self.trials(with_messages=with_messages)
        for _, tries in groupby(trials, key=lambda trial: (trial.case_index, trial.case, trial.variant_index)):
            yield list(tries)


def place_of_crash(result: ToolResultMessage) -> str:
    """The user's own line in which a tool failed, ``tools.py:12``; empty when nobody knows."""
    place = result.details.get("at") if isinstance(result.details, dict) and result.is_error else None
    return place if isinstance(place, str) else ""


def _warnings(message: Message) -> Iterator[str]:
    if isinstance(message, AssistantMessage):
        yield from message.warnings
    elif isinstance(message, ToolResultMessage) and message.is_error:
        place = place_of_crash(message)
        where = f" in {place}" if place else ""
        yield f"the tool {message.tool_name} failed{where}: {message.text.removeprefix('Error: ')}"
