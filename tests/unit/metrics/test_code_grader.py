"""Graders written for HoloDeck see a trial in its terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
from tests.support.trials import trial_of

from seatrial.metrics import catalog
from seatrial.metrics.checks.code_grader import GraderContext
from seatrial.metrics.grading import GradedMetric


@dataclass
class GraderResult:
    score: float
    passed: bool
    reason: str = ""
    details: Any = None


async def test_a_grader_sees_calls_context_and_case() -> None:
    seen: list[GraderContext] = []

    def grade(context: GraderContext) -> float:
        seen.append(context)
        return 0.5

    trial = msgspec.structs.replace(
        trial_of([("search", {"q": "x"})], failed=(1,)),
        case="first",
        turn_index=2,
        turn_config={"k": 1},
        context=("c",),
    )
    metric = catalog.build("code", function=grade)
    assert metric.name == "grade"
    assert (await metric.measure(trial)).value == 0.5
    context = seen[0]
    assert (context.turn_input, context.agent_response) == ("hi", "Done.")
    assert (context.test_case_name, context.turn_index, context.turn_config) == ("first", 2, {"k": 1})
    assert context.retrieval_context == ("c",)
    call = context.tool_invocations[0]
    assert (call.name, call.args, call.bytes) == ("search", {"q": "x"}, 0)
    assert call.error is not None


async def test_a_pass_beside_a_score_does_not_count() -> None:
    metric = catalog.build("code", function=lambda _context: GraderResult(0.2, passed=True, reason="lenient"))
    score = await GradedMetric(metric, catalog.info("code"), threshold=0.5).grade(trial_of())
    assert (score.outcome, score.reason) == ("failed", "0.2 < 0.5: lenient")


async def test_an_async_grader_is_awaited_and_a_crash_is_an_error_of_that_metric_alone() -> None:
    async def later(context: GraderContext) -> bool:
        return context.agent_response == "Done."

    def crash(context: GraderContext) -> bool:
        raise KeyError(context.turn_input)

    info = catalog.info("code")
    assert (await GradedMetric(catalog.build("code", function=later), info, 1.0).grade(trial_of())).outcome == "passed"
    score = await GradedMetric(catalog.build("code", function=crash), info, 1.0).grade(trial_of())
    assert (score.outcome, score.reason) == ("error", "KeyError: 'hi'")
