"""From what the agent did to a verdict: every metric of the case, then the case's outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from seatrial.core.messages import utc_now
from seatrial.core.offering import tells_of_missing_tools
from seatrial.metrics.base import Evidence, Score
from seatrial.metrics.outcome import outcome_of
from seatrial.runner.evidence import (
    cost_of_turns,
    evidence_of_conversation,
    evidence_of_turn,
    expected_calls,
    expected_tools,
    forbidden_tools,
    said_in,
    usage_of_turns,
)
from seatrial.runner.rollup import roll_up
from seatrial.runs.records import Outcome, TrialError, TrialRecord

if TYPE_CHECKING:
    from seatrial.assembly.live import LiveAgent
    from seatrial.config.cases import CaseConfig
    from seatrial.core.result import RunResult
    from seatrial.metrics.grading import GradedMetric
    from seatrial.runner.execute import Attempt, Turn
    from seatrial.runner.plan import PlannedCase, Trial

_TOOLS = "expected_tools"


class Graded(NamedTuple):
    """A finished trial, and the metric that must not fail and did, if any."""

    record: TrialRecord
    fatal_metric: str | None = None


async def grade(trial: Trial, attempt: Attempt, agent: LiveAgent) -> Graded:
    """The finished trial. All metrics are asked, also when one has failed; without an answer none is."""
    last = attempt.last
    if last is None or attempt.error is not None:
        return Graded(_record(trial, "errored", **_results(attempt)))
    metrics, scores = await _measured(trial.case, attempt.turns, agent)
    outcome, reason = _verdict(trial.case.config, attempt, last, scores)
    if outcome == "passed" and (unknown := _unknown_forbidden(trial.case.config, attempt, agent)):
        outcome, reason = "failed", unknown
    fatal = {metric.shown_name for metric in metrics if metric.fail_on_error}
    return Graded(
        _record(trial, outcome, scores=scores, reason=reason, **_results(attempt)),
        next((score.metric for score in scores if score.outcome == "error" and score.metric in fatal), None),
    )


def not_replayed(graded: Graded, why: str) -> Graded:
    """The trial as an error: it asked for something that its recording does not hold."""
    hint = "--record records the case anew, --replay with --record-missing calls only for what is missing"
    error = TrialError("recording", why, hint)
    return Graded(msgspec.structs.replace(graded.record, outcome="errored", error=error, reason=""))


def not_run(trial: Trial, reason: str) -> TrialRecord:
    """The record of a trial that was planned and not made."""
    return _record(trial, "not_run", reason=reason)


def ended_from_within(trial: Trial, error: BaseException) -> TrialRecord:
    """The record of a trial whose tool, hook or check tried to end the program, or cancelled its own task."""
    kind = type(error).__name__
    message = f"code of a tool, a hook or a check ended the trial with {kind}"
    hint = "raise an exception of your own, or return an error, instead"
    return _record(trial, "errored", error=TrialError("internal", message, hint))


def _record(trial: Trial, outcome: Outcome, *, started_at: datetime | None = None, **results: Any) -> TrialRecord:
    """The trial's record: what its case says, and ``results``."""
    case, config = trial.case, trial.case.config
    says_of_tools = config.turns or config.expected_tools is not None or config.forbidden_tools
    if says_of_tools:
        results["expected_tools"] = expected_tools(config)
        results["expected_calls"] = expected_calls(config)
        results["forbidden_tools"] = forbidden_tools(config)
    return TrialRecord(
        case=case.name,
        case_index=case.index,
        outcome=outcome,
        started_at=started_at or utc_now(),
        variant=trial.variant,
        variant_index=trial.variant_index,
        repeat=trial.repeat,
        file=case.place.file,
        line=case.place.line,
        tags=tuple(config.tags),
        require=config.require,
        input=said_in(config),
        ground_truth=config.turns[-1].ground_truth if config.turns else config.ground_truth,
        **results,
    )


def _results(attempt: Attempt) -> dict[str, Any]:
    """What an attempt gave, as far as it came."""
    known = {"started_at": attempt.started_at, "duration_s": attempt.duration_s, "error": attempt.error}
    last = attempt.last
    if last is None:
        return known
    transcript = last.transcript
    results = [turn.result for turn in attempt.turns]
    known |= {
        "output": attempt.turns[-1].answer,
        "stop_reason": last.stop_reason,
        "limit": last.limit,
        "usage": usage_of_turns(results),
        "cost_usd": cost_of_turns(results),
        "retries": sum(turn.retries for turn in attempt.turns),
        "warnings": _warnings(results),
        "messages": transcript.messages,
    }
    if calls := transcript.tool_calls:
        known["called_tools"] = tuple(call.name for call in calls)
        known["failed_tools"] = tuple(result.tool_name for result in transcript.tool_results if result.is_error)
        called = {call.name for call in calls}
        known["tool_aliases"] = {tool.name: tool.aliases for tool in last.tools if tool.aliases and tool.name in called}
    return known


async def _measured(
    planned: PlannedCase, turns: Sequence[Turn], agent: LiveAgent
) -> tuple[Sequence[GradedMetric], tuple[Score, ...]]:
    """Every metric that was asked, and every score: of the case, or rolled up over turns and of the conversation."""
    case, name, instructions = planned.config, planned.name, agent.agent.system_prompt
    if not case.turns:
        metrics = agent.metrics_for(case)
        return metrics, await _scores(metrics, evidence_of_turn(turns[0], name, 0, instructions))
    asked: list[GradedMetric] = []
    by_turn = []
    for index, turn in enumerate(turns):
        metrics = agent.metrics_for(turn.config)
        by_turn.append(await _scores(metrics, evidence_of_turn(turn, name, index, instructions)))
        asked += metrics
    whole = list(_of_conversation(case, agent.metrics_for(case), {metric.shown_name for metric in asked}))
    of_whole = await _scores(whole, evidence_of_conversation(case, turns, name, instructions))
    return [*asked, *whole], (*roll_up(by_turn), *of_whole)


def _of_conversation(
    case: CaseConfig, metrics: Sequence[GradedMetric], measured: Collection[str]
) -> Iterator[GradedMetric]:
    """The metrics of the case itself; what each turn was measured by is not repeated unless the case asks for it."""
    own = {check.name or check.kind for check in case.checks or ()} | {_TOOLS}
    for metric in metrics:
        if metric.shown_name not in measured:
            yield metric
        elif case.evaluations is not None or metric.shown_name in own or _has_what_it_needs(metric, case):
            yield replace(metric, name=f"{metric.shown_name} (conversation)")


def _has_what_it_needs(metric: GradedMetric, case: CaseConfig) -> bool:
    """Whether the case itself says what the metric compares the whole conversation with."""
    needs = metric.info.needs
    has_truth = case.ground_truth is not None and "ground_truth" in needs
    return has_truth or (bool(case.retrieval_context) and "context" in needs)


async def _scores(metrics: Sequence[GradedMetric], evidence: Evidence) -> tuple[Score, ...]:
    if len(metrics) < 2:
        return tuple([await metric.grade(evidence) for metric in metrics])
    return tuple(await asyncio.gather(*(metric.grade(evidence) for metric in metrics)))


def _verdict(case: CaseConfig, attempt: Attempt, last: RunResult, scores: Sequence[Score]) -> tuple[Outcome, str]:
    """The outcome, and why it could not be ``passed`` where the scores alone do not tell."""
    outcome = outcome_of(scores, answer=attempt.turns[-1].answer)
    cut_off = _why_cut_off(case, attempt, last)
    if cut_off and outcome == "passed":
        return "failed", cut_off
    missing = "; ".join(filter(tells_of_missing_tools, _warnings([turn.result for turn in attempt.turns])))
    if outcome == "failed" and not cut_off:
        return outcome, missing
    if outcome == "passed" and missing and (absent := _never_offered(case, attempt)):
        return "failed", f"there was no tool {' and no tool '.join(absent)}: {missing}"
    return outcome, cut_off


def _warnings(results: Iterable[RunResult]) -> tuple[str, ...]:
    """What there is to say of the turns, each once."""
    return tuple(dict.fromkeys(text for result in results for text in result.warnings))


def _unknown_forbidden(case: CaseConfig, attempt: Attempt, agent: LiveAgent) -> str:
    """Which tools the case forbids that there are not: not to call one of them shows nothing."""
    offered = _offered(attempt)
    told = [agent.why_no_tool(name, offered) for name in forbidden_tools(case)]
    return "forbidden_tools: " + "; ".join(filter(None, told)) if any(told) else ""


def _offered(attempt: Attempt) -> set[str]:
    return {name for turn in attempt.turns for tool in turn.result.tools for name in (tool.name, *tool.aliases)}


def _never_offered(case: CaseConfig, attempt: Attempt) -> list[str]:
    """The tools that the case needs and no turn had: a model may have called them all the same."""
    offered = _offered(attempt)
    needed = (tool for each in (case, *case.turns) if each.order != "subset" for tool in each.expected_tools or ())
    return list(dict.fromkeys(tool.name for tool in needed if tool.count != 0 and tool.name not in offered))


def _why_cut_off(case: CaseConfig, attempt: Attempt, last: RunResult) -> str:
    if last.stop_reason == "limit":
        after = f" after {attempt.turns[-1].duration_s:.3g} s" if last.limit == "timeout_s" else ""
        return f"the agent was stopped by its limit {last.limit}{after}"
    if last.stop_reason == "content_filter":
        return "the provider's content filter stopped the answer"
    if last.stop_reason == "length":
        return "the answer was cut off at the model's output limit"
    if len(attempt.turns) < len(case.turns):
        return f"the conversation ended with {last.stop_reason} after {len(attempt.turns)} of {len(case.turns)} turns"
    return ""
