"""What judges spend is counted: every try, every draw, every reply that had to be mended."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.support.stored_trials import trial

from seatrial.core.messages import AssistantMessage
from seatrial.core.model import ModelInfo, ModelRequest
from seatrial.core.usage import ModelCost, Usage, UsageTotal
from seatrial.metrics import catalog
from seatrial.metrics.base import Evidence, Score
from seatrial.metrics.grading import GradedMetric
from seatrial.providers.scripted import ScriptedModel, fails, says, scripted
from seatrial.runner.rollup import roll_up
from seatrial.runs.records import TrialRecord

USAGE = Usage(100, 10)
INFO = ModelInfo("judge", "judge", "scripted", cost=ModelCost(input=1.0, output=10.0))
EACH_USD = 100 / 1e6 + 100 / 1e6
TRIAL = Evidence("When?", "On 3 May.", ground_truth="3 May", context=("It is on 3 May.",))


def verdict(text: str) -> AssistantMessage:
    return says(text, usage=USAGE)


async def graded(name: str, model: ScriptedModel, retry: int = 0, **options: Any) -> Score:
    built = catalog.build(name, model=model, **options)
    return await GradedMetric(built, catalog.info(name), 3, retry_on_failure=retry, timeout_s=2).grade(TRIAL)


async def test_every_draw_is_counted() -> None:
    score = await graded("relevance", scripted(*[verdict('{"score": 4}')] * 3, info=INFO), draws=3)
    assert score.usage == UsageTotal(300, 30, requests=3)
    assert score.cost_usd == pytest.approx(3 * EACH_USD)


async def test_a_judge_that_was_in_error_was_paid_all_the_same() -> None:
    replies = [verdict("no idea"), verdict("still none"), verdict('{"score": 4}')]
    score = await graded("relevance", scripted(*replies, info=INFO), retry=2)
    assert (score.outcome, score.attempts) == ("passed", 3)
    assert score.usage == UsageTotal(300, 30, requests=3)
    lost = await graded("relevance", scripted(verdict("no idea"), info=INFO))
    assert (lost.outcome, lost.cost_usd) == ("error", pytest.approx(EACH_USD))


async def test_splitting_and_mending_are_counted_too() -> None:
    replies = [
        verdict("what?"),
        verdict('{"statements": ["It is on 3 May."]}'),
        verdict('{"verdicts": [{"number": 1, "quote": "on 3 May", "verdict": "yes"}]}'),
    ]
    score = await graded("faithfulness", scripted(*replies, info=INFO))
    assert score.usage == UsageTotal(300, 30, requests=3)


async def test_what_is_not_told_is_unknown_and_never_nothing() -> None:
    unpriced = await graded("relevance", scripted(verdict('{"score": 4}')))
    assert (unpriced.usage, unpriced.cost_usd) == (UsageTotal(100, 10, requests=1), None)
    silent = await graded("relevance", scripted('{"score": 4}', info=INFO))
    assert (silent.usage, silent.cost_usd) == (UsageTotal(requests=1, unknown_requests=1), None)
    refused = await graded("relevance", scripted(fails("401"), info=INFO))
    assert refused.cost_usd == 0.0


async def test_a_judge_that_was_given_up_leaves_an_unknown_cost() -> None:
    async def never(_request: ModelRequest) -> AssistantMessage:
        await asyncio.Event().wait()
        raise AssertionError

    built = catalog.build("relevance", model=ScriptedModel([never], info=INFO))
    score = await GradedMetric(built, catalog.info("relevance"), 3, timeout_s=0.01).grade(TRIAL)
    assert (score.outcome, score.cost_usd) == ("error", None)
    assert score.usage == UsageTotal(requests=1, unknown_requests=1)


async def test_computed_metrics_spend_nothing_and_judges_at_once_do_not_mix() -> None:
    plain = await GradedMetric(catalog.build("exact"), catalog.info("exact"), 1).grade(TRIAL)
    assert (plain.usage, plain.cost_usd) == (None, None)
    model = scripted(*[verdict('{"score": 4}')] * 5, info=INFO)
    one, other = await asyncio.gather(graded("relevance", model, draws=2), graded("coherence", model, draws=3))
    assert (one.usage, other.usage) == (UsageTotal(200, 20, requests=2), UsageTotal(300, 30, requests=3))


def score(cost_usd: float | None, requests: int = 1) -> Score:
    return Score("relevance", "passed", 4.0, 3.0, usage=UsageTotal(100, 10, requests=requests), cost_usd=cost_usd)


def test_several_turns_are_counted_together() -> None:
    (rolled,) = roll_up([[score(0.5)], [score(0.25)]])
    assert (rolled.usage, rolled.cost_usd) == (UsageTotal(200, 20, requests=2), 0.75)
    assert roll_up([[score(0.5)], [score(None)]])[0].cost_usd is None


@pytest.mark.parametrize(
    ("agent_usd", "judge_usd", "total_usd"),
    [(0.1, 0.2, pytest.approx(0.3)), (None, 0.2, None), (0.1, None, None)],
)
def test_a_trial_costs_what_its_agent_and_its_judges_cost(
    agent_usd: float | None, judge_usd: float | None, total_usd: object
) -> None:
    made: TrialRecord = trial(0, cost_usd=agent_usd, scores=(score(judge_usd),))
    assert made.total.usage == UsageTotal(110, 14, requests=2)
    assert made.total.cost_usd == total_usd
    assert (made.usage, made.cost_usd) == (UsageTotal(10, 4, requests=1), agent_usd)
