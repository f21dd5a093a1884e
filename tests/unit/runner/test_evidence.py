"""What graders are shown of a trial: the agent's instructions and tools, the case, its turn."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
from tests.support.live_agents import ScriptedLiveAgent
from tests.support.simple_tools import STRING, tool

from seatrial.config.cases import CaseConfig
from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent
from seatrial.metrics import catalog
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.grading import GradedMetric
from seatrial.providers.scripted import calls, says, scripted
from seatrial.runner.plan import Plan, plan_cases
from seatrial.runner.suite import Suite, run_suite
from seatrial.runs.masking import Masker
from seatrial.runs.records import RunRecord, Selection, TrialRecord
from seatrial.runs.store import RunStore


class Watching:
    """A metric that remembers what it saw."""

    name = "watching"

    def __init__(self) -> None:
        self.seen: list[Evidence] = []

    async def measure(self, evidence: Evidence) -> Measurement:
        self.seen.append(evidence)
        return Measurement(1.0)


class LiveAgentOf(ScriptedLiveAgent):
    """A real agent among scripted ones."""

    def __init__(self, agent: Agent, *metrics: GradedMetric) -> None:
        super().__init__(metrics=metrics)
        self._real = agent

    @property
    def agent(self) -> Any:
        return self._real


PRICE = tool("price", properties={"item": STRING})


async def trial_of(store: RunStore, agent: ScriptedLiveAgent, case: CaseConfig) -> TrialRecord:
    run = RunRecord("r", "shop", "agent.yaml", datetime.now(UTC), planned=1)
    suite = Suite(Plan(plan_cases([case], Selection())), {"": agent}, Masker(()))
    await run_suite(suite, run, store, lambda _event: None, AbortSignal())
    (trial,) = store.trials("r", with_messages=True)
    return trial


async def test_graders_know_the_instructions_the_tools_and_the_case(store: RunStore) -> None:
    watching = Watching()
    agent = Agent(scripted(calls("price", item="tea"), says("5.")), system_prompt="Be brief.", tools=[PRICE])
    metric = GradedMetric(watching, catalog.MetricInfo("watching", "check"), threshold=1.0)
    await trial_of(store, LiveAgentOf(agent, metric), CaseConfig(name="tea", input="How much?", turn_config={"a": 1}))
    (seen,) = watching.seen
    assert (seen.case, seen.instructions, seen.turn_index, seen.turn_config) == ("tea", "Be brief.", 0, {"a": 1})
    assert [spec.name for spec in seen.tools] == ["price"]


async def test_a_judge_of_tool_calls_judges_them(store: RunStore) -> None:
    agent = Agent(scripted(calls("price", item="tea"), says("5.")), tools=[PRICE])
    judge = scripted('{"reason": "as needed", "score": 5}')
    metric = GradedMetric(
        catalog.build("tool_call_accuracy", model=judge), catalog.info("tool_call_accuracy"), threshold=3
    )
    trial = await trial_of(store, LiveAgentOf(agent, metric), CaseConfig(name="tea", input="How much?"))
    assert [(score.outcome, score.value) for score in trial.scores] == [("passed", 5.0)]
    assert "price: Does price." in judge.requests[0].messages[0].text


async def test_turns_are_told_apart(store: RunStore) -> None:
    watching = Watching()
    metric = GradedMetric(watching, catalog.MetricInfo("watching", "check"), threshold=1.0)
    case = CaseConfig(name="talk", turns=[{"input": "hi"}, {"input": "bye"}], evaluations=("watching",))
    await trial_of(store, ScriptedLiveAgent(metrics=[metric]), case)
    assert [(seen.input, seen.turn_index) for seen in watching.seen] == [("hi", 0), ("bye", 1), ("hi\nbye", 1)]


async def test_a_result_keeps_what_was_offered_and_can_be_read_back() -> None:
    result = await Agent(scripted("5."), tools=[PRICE]).run("hi")
    again = type(result).from_json(result.to_json())
    assert msgspec.json.encode(again.tools) == msgspec.json.encode(result.tools)
    assert [spec.name for spec in again.tools] == ["price"]
