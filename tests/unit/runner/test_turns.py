"""Cases of several turns: one conversation, checks per turn, one verdict."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.support.live_agents import ScriptedLiveAgent, result

from seatrial.config.cases import CaseConfig
from seatrial.core.abort import AbortSignal
from seatrial.metrics import catalog
from seatrial.metrics.base import Score
from seatrial.metrics.grading import GradedMetric
from seatrial.runner.plan import Plan, plan_cases
from seatrial.runner.rollup import roll_up
from seatrial.runner.suite import Suite, run_suite
from seatrial.runs.masking import Masker
from seatrial.runs.records import RunRecord, Selection, TrialRecord
from seatrial.runs.store import RunStore


def f1(threshold: float = 0.5) -> GradedMetric:
    return GradedMetric(catalog.build("f1_score"), catalog.info("f1_score"), threshold=threshold)


async def trial_of(store: RunStore, agent: ScriptedLiveAgent, case: CaseConfig) -> TrialRecord:
    run = RunRecord("r", "shop", "agent.yaml", datetime.now(UTC), planned=1)
    suite = Suite(Plan(plan_cases([case], Selection())), {"": agent}, Masker(()))
    await run_suite(suite, run, store, lambda _event: None, AbortSignal())
    (trial,) = store.trials("r", with_messages=True)
    return trial


def conversation(*turns: tuple[str, str], **more: Any) -> CaseConfig:
    return CaseConfig(name="talk", turns=[{"input": said, "ground_truth": truth} for said, truth in turns], **more)


async def test_all_turns_are_one_conversation(store: RunStore) -> None:
    agent = ScriptedLiveAgent({"hi": "hello", "bye": "so long"}, [f1()])
    trial = await trial_of(store, agent, conversation(("hi", "hello"), ("bye", "so long")))
    said = [(message.role, message.text) for message in trial.messages]
    assert said == [("user", "hi"), ("assistant", "hello"), ("user", "bye"), ("assistant", "so long")]
    assert trial.outcome == "passed"
    assert (trial.input, trial.output) == ("hi\nbye", "so long")
    assert (trial.usage.requests, trial.cost_usd) == (2, 0.02)


async def test_one_bad_turn_fails_the_case_and_is_named(store: RunStore) -> None:
    agent = ScriptedLiveAgent({"hi": "hello", "bye": "so long"}, [f1()])
    trial = await trial_of(store, agent, conversation(("hi", "goodbye"), ("bye", "so long")))
    assert trial.outcome == "failed"
    (score,) = trial.scores
    assert (score.metric, score.outcome, score.value) == ("f1_score", "failed", 0.5)
    assert score.reason.startswith("turn 1: 0 < 0.5")
    assert [turn["value"] for turn in score.details["turns"]] == [0.0, 1.0]


async def test_a_conversation_that_breaks_off_is_no_pass(store: RunStore) -> None:
    async def broken(_text: str, _signal: AbortSignal) -> Any:
        return result("", "error", error_message="503")

    agent = ScriptedLiveAgent({"hi": "hello", "bye": broken}, [f1()])
    trial = await trial_of(store, agent, conversation(("hi", "hello"), ("bye", "x"), ("again", "x")))
    assert trial.outcome == "errored"
    assert agent.asked == ["hi", "bye"]


async def test_a_refusal_in_the_middle_ends_the_conversation_and_fails_it(store: RunStore) -> None:
    async def refuses(_text: str, _signal: AbortSignal) -> Any:
        return result("hello", "refusal")

    agent = ScriptedLiveAgent({"hi": refuses}, [f1()])
    trial = await trial_of(store, agent, conversation(("hi", "hello"), ("bye", "x")))
    assert trial.outcome == "failed"
    assert trial.reason == "the conversation ended with refusal after 1 of 2 turns"


def score(value: float | None, outcome: str = "passed", **more: Any) -> Score:
    return Score("m", outcome, value, **({"threshold": 0.5} | more))


def test_a_metric_that_applies_to_one_turn_only_is_that_turns_score() -> None:
    assert roll_up([[score(0.7)], []]) == (score(0.7),)


def test_turns_to_which_a_metric_does_not_apply_are_left_out_of_the_mean() -> None:
    (rolled,) = roll_up([[score(0.6)], [score(None, "skipped")], [score(0.8)]])
    assert (rolled.outcome, rolled.value) == ("passed", 0.7)


def test_an_error_in_one_turn_is_an_error_of_the_metric_and_no_mean() -> None:
    (rolled,) = roll_up([[score(0.6)], [score(None, "error", reason="no")]])
    assert (rolled.outcome, rolled.value, rolled.reason) == ("error", None, "turn 2: no")


def test_a_metric_that_never_applies_is_skipped() -> None:
    (rolled,) = roll_up([[score(None, "skipped")], [score(None, "skipped")]])
    assert rolled.outcome == "skipped"
