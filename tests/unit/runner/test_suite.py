from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.support.live_agents import ScriptedLiveAgent, never, result, until_stopped

from seatrial.config.cases import CaseConfig
from seatrial.config.secrets import MASK
from seatrial.core.abort import AbortSignal
from seatrial.errors import DocumentError, MetricError, StoreError
from seatrial.metrics import catalog
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.grading import GradedMetric
from seatrial.runner import schedule as schedule_module
from seatrial.runner.budget import Budget
from seatrial.runner.plan import Plan, plan_cases
from seatrial.runner.suite import Suite, run_suite
from seatrial.runs.events import RunEvent, RunFinished, RunStarted, Stopping, TrialFinished, TrialStarted
from seatrial.runs.masking import Masker
from seatrial.runs.records import RunRecord, Selection, TrialRecord
from seatrial.runs.store import RunStore
from seatrial.runs.verdict import exit_code


def f1(threshold: float | None = 0.5, **more: Any) -> GradedMetric:
    return GradedMetric(catalog.build("f1_score"), catalog.info("f1_score"), threshold=threshold, **more)


class BrokenMetric:
    """A metric that cannot measure."""

    name = "broken"

    async def measure(self, _evidence: Evidence) -> Measurement:
        raise MetricError("no idea")


def broken(**more: Any) -> GradedMetric:
    return GradedMetric(BrokenMetric(), catalog.MetricInfo("broken", "judge"), threshold=1.0, **more)


def cases(count: int, **more: Any) -> list[CaseConfig]:
    return [CaseConfig(name=f"t{n}", input=f"q{n}", ground_truth="fine", **more) for n in range(count)]


class Trip:
    """One run of a suite in a test, and what was seen of it."""

    def __init__(self, store: RunStore, agent: ScriptedLiveAgent, configs: list[CaseConfig], **options: Any) -> None:
        self.store = store
        self.events: list[RunEvent] = []
        self.stop = AbortSignal()
        done = options.pop("done", ())
        repeat = options.pop("repeat", 1)
        secrets = options.pop("secrets", ())
        plan = Plan(plan_cases(configs, Selection()), repeat=repeat, done=done)
        self.suite = Suite(plan, {"": agent}, Masker(secrets), **options)
        self.record = RunRecord("r", "shop", "agent.yaml", datetime.now(UTC), planned=plan.size)

    async def make(self) -> Trip:
        self.record = await run_suite(self.suite, self.record, self.store, self.events.append, self.stop)
        return self

    @property
    def trials(self) -> list[TrialRecord]:
        return list(self.store.trials("r", with_messages=True))

    @property
    def outcomes(self) -> list[str]:
        return [trial.outcome for trial in self.trials]

    @property
    def exit_code(self) -> int:
        return exit_code(self.record, self.store.tally("r"), self.store.case_tallies("r"))


async def test_a_suite_goes_from_its_plan_to_a_stored_verdict(store: RunStore) -> None:
    agent = ScriptedLiveAgent({"q1": "something else"}, [f1()])
    trip = await Trip(store, agent, cases(3)).make()
    assert trip.outcomes == ["passed", "failed", "passed"]
    assert trip.record.status == "finished"
    assert trip.record.ended_at is not None
    assert trip.exit_code == 1
    first = trip.trials[0]
    assert (first.output, first.usage.input_tokens, first.cost_usd, first.stop_reason) == ("fine", 10, 0.01, "stop")
    assert len(first.messages) == 2


async def test_e15_results_stand_in_the_order_of_the_file_whatever_finishes_first(store: RunStore) -> None:
    gates = [asyncio.Event() for _ in range(6)]

    async def in_reverse(text: str, _signal: AbortSignal) -> Any:
        number = int(text[1:])
        if number < 5:
            await gates[number + 1].wait()
        gates[number].set()
        return result(f"answer {number}")

    agent = ScriptedLiveAgent({f"q{n}": in_reverse for n in range(6)})
    trip = await Trip(store, agent, cases(6), concurrency=6).make()
    finished = [event.trial.case for event in trip.events if isinstance(event, TrialFinished)]
    assert finished == ["t5", "t4", "t3", "t2", "t1", "t0"]
    assert [trial.output for trial in trip.trials] == [f"answer {n}" for n in range(6)]


async def test_what_happens_is_told_in_order(store: RunStore) -> None:
    trip = await Trip(store, ScriptedLiveAgent(), cases(1)).make()
    assert [type(event) for event in trip.events] == [RunStarted, TrialStarted, TrialFinished, RunFinished]


async def test_a_finished_trial_is_in_the_store_when_it_is_told(store: RunStore) -> None:
    seen: list[int] = []
    trip = Trip(store, ScriptedLiveAgent(), cases(3), concurrency=1)

    def listen(event: RunEvent) -> None:
        if isinstance(event, TrialFinished):
            seen.append(store.tally("r").total)

    await run_suite(trip.suite, trip.record, store, listen, trip.stop)
    assert len(seen) == 3
    assert all(total >= number for number, total in enumerate(seen, start=1))


async def test_p016_each_way_to_fail_has_its_own_outcome_and_the_others_go_on(store: RunStore) -> None:
    async def model_failed(_text: str, _signal: AbortSignal) -> Any:
        return result("", "error", error_message="401: wrong key")

    async def cut_short(_text: str, _signal: AbortSignal) -> Any:
        return result("fine", "limit", limit="max_turns")

    agent = ScriptedLiveAgent(
        {
            "q0": model_failed,
            "q1": DocumentError("report.pdf holds no text"),
            "q2": RuntimeError("oops"),
            "q3": " ",
            "q4": cut_short,
        },
        [f1()],
    )
    trip = await Trip(store, agent, cases(6)).make()
    assert trip.outcomes == ["errored", "errored", "errored", "errored", "failed", "passed"]
    errors = [trial.error and (trial.error.kind, trial.error.message.partition(" (")[0]) for trial in trip.trials]
    assert errors[:4] == [
        ("provider", "401: wrong key"),
        ("file", "report.pdf holds no text"),
        ("internal", "RuntimeError: oops"),
        ("empty_answer", "the model gave an empty answer"),
    ]
    assert trip.trials[4].reason == "the agent was stopped by its limit max_turns"
    assert trip.exit_code == 1


@pytest.mark.parametrize("answer", ["\u200b", " \ufeff\n", "\u3164"])
async def test_p021_an_answer_that_nobody_can_see_is_an_empty_one(store: RunStore, answer: str) -> None:
    trip = await Trip(store, ScriptedLiveAgent({"q0": answer}, [f1()]), cases(1)).make()
    assert [trial.error and trial.error.kind for trial in trip.trials] == ["empty_answer"]


async def test_only_the_outside_world_failed_is_exit_code_3(store: RunStore) -> None:
    async def model_failed(_text: str, _signal: AbortSignal) -> Any:
        return result("", "incomplete", error_message="the stream broke off")

    trip = await Trip(store, ScriptedLiveAgent({"q0": model_failed}, [f1()]), cases(2)).make()
    assert trip.exit_code == 3


async def test_p021_a_suite_that_checks_nothing_is_no_success(store: RunStore) -> None:
    trip = await Trip(store, ScriptedLiveAgent(), cases(2)).make()
    assert trip.outcomes == ["unchecked", "unchecked"]
    assert trip.exit_code == 2


async def test_p021_an_answer_that_is_only_scored_is_unchecked(store: RunStore) -> None:
    trip = await Trip(store, ScriptedLiveAgent(metrics=[f1(threshold=None)]), cases(1)).make()
    assert trip.outcomes == ["unchecked"]
    assert trip.trials[0].scores[0].value == 1.0


async def test_p021_thresholds_that_were_all_skipped_are_an_error(store: RunStore) -> None:
    bare = [CaseConfig(name="t", input="q")]
    trip = await Trip(store, ScriptedLiveAgent(metrics=[f1()]), bare).make()
    assert trip.outcomes == ["errored"]
    assert trip.exit_code == 1


async def test_all_metrics_are_asked_also_when_one_cannot_measure(store: RunStore) -> None:
    trip = await Trip(store, ScriptedLiveAgent(metrics=[broken(), f1()]), cases(1)).make()
    assert [score.outcome for score in trip.trials[0].scores] == ["error", "passed"]
    assert trip.outcomes == ["errored"]
    assert trip.exit_code == 1


async def test_a_metric_that_must_not_fail_ends_the_run(store: RunStore) -> None:
    agent = ScriptedLiveAgent(metrics=[broken(fail_on_error=True)])
    trip = await Trip(store, agent, cases(4), concurrency=1).make()
    assert trip.outcomes == ["errored", "not_run", "not_run", "not_run"]
    assert trip.record.stopped_by == "fail_on_error"


async def test_a_skipped_case_is_not_run_and_says_why(store: RunStore) -> None:
    agent = ScriptedLiveAgent(metrics=[f1()])
    skipped = CaseConfig(name="later", input="q9", skip="not built yet")
    trip = await Trip(store, agent, [*cases(1), skipped]).make()
    assert trip.outcomes == ["passed", "not_run"]
    assert trip.trials[1].reason == "skipped: not built yet"
    assert agent.asked == ["q0"]
    assert trip.exit_code == 0


async def test_e07_an_interrupt_keeps_what_is_finished_and_a_resume_runs_only_the_rest(store: RunStore) -> None:
    agent = ScriptedLiveAgent({"q2": until_stopped}, [f1()])
    trip = Trip(store, agent, cases(6), concurrency=1)
    running = asyncio.create_task(trip.make())
    await agent.until_asked("q2")
    trip.stop.set("interrupted")
    await running
    assert trip.outcomes == ["passed", "passed", "not_run", "not_run", "not_run", "not_run"]
    assert (trip.record.status, trip.exit_code) == ("interrupted", 130)
    assert Stopping("interrupted") in trip.events

    agent.answers.clear()
    agent.asked.clear()
    resumed = await Trip(store, agent, cases(6), done=store.done("r")).make()
    assert agent.asked == ["q2", "q3", "q4", "q5"]
    assert resumed.outcomes == ["passed"] * 6
    assert resumed.exit_code == 0


async def test_p018_a_trial_that_does_not_listen_does_not_hold_the_run_up(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule_module, "GRACE_S", 0.01)
    agent = ScriptedLiveAgent({"q0": never, "q1": never})
    trip = Trip(store, agent, cases(2), concurrency=2)
    running = asyncio.create_task(trip.make())
    await agent.until_asked("q1")
    trip.stop.set("interrupted")
    await asyncio.wait_for(running, timeout=5)
    assert trip.outcomes == ["not_run", "not_run"]


async def test_fail_fast_stops_at_the_first_failure(store: RunStore) -> None:
    agent = ScriptedLiveAgent({"q1": "wrong"}, [f1()])
    trip = await Trip(store, agent, cases(5), concurrency=1, is_fail_fast=True).make()
    assert trip.outcomes == ["passed", "failed", "not_run", "not_run", "not_run"]
    assert (trip.record.status, trip.record.stopped_by, trip.exit_code) == ("stopped", "fail_fast", 1)


async def test_the_time_limit_stops_cleanly_and_is_not_a_success(store: RunStore) -> None:
    agent = ScriptedLiveAgent({"q1": until_stopped}, [f1()])
    trip = await Trip(store, agent, cases(3), concurrency=1, max_time_s=0.01).make()
    assert trip.outcomes == ["passed", "not_run", "not_run"]
    assert (trip.record.stopped_by, trip.exit_code) == ("max_time", 1)


async def test_repeats_are_kept_apart(store: RunStore) -> None:
    trip = await Trip(store, ScriptedLiveAgent(metrics=[f1()]), cases(2), repeat=3).make()
    assert [(trial.case, trial.repeat) for trial in trip.trials] == [(f"t{n}", r) for n in (0, 1) for r in (1, 2, 3)]


async def test_no_more_trials_run_at_once_than_allowed(store: RunStore) -> None:
    agent = ScriptedLiveAgent()
    await Trip(store, agent, cases(40), concurrency=4).make()
    assert agent.most_at_once == 4


async def test_h016_a_secret_in_an_answer_is_neither_stored_nor_told(store: RunStore) -> None:
    agent = ScriptedLiveAgent({"q0": "the key is sk-canary-123"})
    trip = await Trip(store, agent, cases(1), secrets=["sk-canary-123"]).make()
    assert trip.trials[0].output == f"the key is {MASK}"
    assert "canary" not in repr(trip.events)


async def test_a_store_that_fails_ends_the_run_and_loses_nothing_finished(store: RunStore) -> None:
    agent = ScriptedLiveAgent({"q2": "x" + "".join(map(str, range(50_000)))})
    trip = Trip(store, agent, cases(500), concurrency=1)

    def then_full(event: RunEvent) -> None:
        if isinstance(event, RunStarted):
            pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
            store._connection.execute(f"PRAGMA max_page_count = {pages + 2}")

    with pytest.raises(StoreError, match="disk is full"):
        await run_suite(trip.suite, trip.record, store, then_full, trip.stop)
    assert [trial.case for trial in trip.trials] == ["t0", "t1"]
    assert len(agent.asked) < 100


async def test_a_money_budget_stops_cleanly_and_says_what_was_not_run(store: RunStore) -> None:
    trip = await Trip(
        store, ScriptedLiveAgent(metrics=[f1()]), cases(10), concurrency=1, budget=Budget(max_cost_usd=0.035)
    ).make()
    assert trip.outcomes == ["passed"] * 4 + ["not_run"] * 6
    assert (trip.record.stopped_by, trip.exit_code) == ("max_cost", 1)


async def test_a_token_budget_stops_cleanly(store: RunStore) -> None:
    trip = await Trip(store, ScriptedLiveAgent(), cases(10), concurrency=1, budget=Budget(max_tokens=30)).make()
    assert trip.outcomes == ["unchecked"] * 2 + ["not_run"] * 8


async def test_a_provider_that_does_not_count_ends_a_run_with_a_money_budget(store: RunStore) -> None:
    async def uncounted(_text: str, _signal: AbortSignal) -> Any:
        return result("fine", cost_usd=None)

    agent = ScriptedLiveAgent({"q1": uncounted}, [f1()])
    trip = await Trip(store, agent, cases(4), concurrency=1, budget=Budget(max_cost_usd=5.0)).make()
    assert trip.outcomes == ["passed", "passed", "not_run", "not_run"]
    assert trip.record.stopped_by == "unknown_cost"


async def test_a_used_up_budget_lets_what_is_under_way_come_to_its_end(store: RunStore) -> None:
    gate = asyncio.Event()

    async def dear(_text: str, _signal: AbortSignal) -> Any:
        gate.set()
        return result("fine", cost_usd=9.0)

    async def slow(_text: str, signal: AbortSignal) -> Any:
        await gate.wait()
        for _ in range(20):
            await asyncio.sleep(0)
        return result("fine", "aborted" if signal.is_set else "stop")

    agent = ScriptedLiveAgent({"q0": dear, "q1": slow}, [f1()])
    trip = await Trip(store, agent, cases(4), concurrency=2, budget=Budget(max_cost_usd=1.0)).make()
    assert trip.outcomes == ["passed", "passed", "not_run", "not_run"]
