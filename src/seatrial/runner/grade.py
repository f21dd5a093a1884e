"""From what the agent did to a verdict: every metric of the case, then the case's outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from seatrial.core.messages import AssistantMessage, utc_now
from seatrial.metrics.base import Evidence, Score
from seatrial.metrics.outcome import outcome_of
from seatrial.runner.evidence import called_tools, evidence_for, expected_tools
from seatrial.runner.plan import first_input
from seatrial.runs.records import Outcome, TrialRecord

if TYPE_CHECKING:
    from seatrial.core.result import RunResult
    from seatrial.metrics.grading import GradedMetric
    from seatrial.runner.execute import Attempt
    from seatrial.runner.plan import Trial


async def grade(trial: Trial, attempt: Attempt, metrics: Sequence[GradedMetric]) -> TrialRecord:
    """The finished trial. All metrics are asked, also when one has failed; without an answer none is."""
    record = msgspec.structs.replace(
        _blank(trial, "errored"), started_at=attempt.started_at, duration_s=attempt.duration_s, error=attempt.error
    )
    result = attempt.result
    if result is None:
        return record
    record = _with_result(record, result)
    if attempt.error is not None:
        return record
    scores = await _scores(metrics, evidence_for(trial.case.config, result, attempt.duration_s))
    outcome, reason = _verdict(result, scores)
    return msgspec.structs.replace(record, scores=scores, outcome=outcome, reason=reason)


def not_run(trial: Trial, reason: str) -> TrialRecord:
    """The record of a trial that was planned and not made."""
    return msgspec.structs.replace(_blank(trial, "not_run"), reason=reason)


def _blank(trial: Trial, outcome: Outcome) -> TrialRecord:
    case = trial.case
    return TrialRecord(
        case=case.name,
        case_index=case.index,
        outcome=outcome,
        started_at=utc_now(),
        variant=trial.variant,
        variant_index=trial.variant_index,
        repeat=trial.repeat,
        file=case.place.file,
        line=case.place.line,
        tags=tuple(case.config.tags),
        require=case.config.require,
        input=first_input(case.config),
        ground_truth=case.config.ground_truth,
        expected_tools=expected_tools(case.config),
    )


def _with_result(record: TrialRecord, result: RunResult) -> TrialRecord:
    messages = tuple(result.transcript.messages)
    return msgspec.structs.replace(
        record,
        output=result.text,
        called_tools=called_tools(result),
        stop_reason=result.stop_reason,
        limit=result.limit,
        usage=result.usage,
        cost_usd=result.cost_usd,
        retries=sum(len(message.failed_tries) for message in messages if isinstance(message, AssistantMessage)),
        messages=messages,
    )


async def _scores(metrics: Sequence[GradedMetric], evidence: Evidence) -> tuple[Score, ...]:
    if len(metrics) < 2:
        return tuple([await metric.grade(evidence) for metric in metrics])
    return tuple(await asyncio.gather(*(metric.grade(evidence) for metric in metrics)))


def _verdict(result: RunResult, scores: Sequence[Score]) -> tuple[Outcome, str]:
    """The outcome, and why it could not be ``passed`` where the scores alone do not tell."""
    outcome = outcome_of(scores, answer=result.text)
    cut_off = _why_cut_off(result)
    if cut_off and outcome == "passed":
        return "failed", cut_off
    return outcome, cut_off


def _why_cut_off(result: RunResult) -> str:
    if result.stop_reason == "limit":
        return f"the agent was stopped by its limit {result.limit}"
    if result.stop_reason == "length":
        return "the answer was cut off at the model's output limit"
    return ""
