"""What every metric in the catalogue promises, whatever it measures."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import msgspec
import pytest
from tests.support.trials import trial_of

from seatrial.core.messages import AssistantMessage
from seatrial.core.model import ModelRequest, ToolSpec
from seatrial.metrics import catalog
from seatrial.metrics.base import Evidence, Metric
from seatrial.metrics.grading import GradedMetric
from seatrial.metrics.outcome import outcome_of
from seatrial.providers.scripted import ScriptedModel, says

NAMES = catalog.names()
OPTIONS: dict[str, dict[str, Any]] = {
    "expected_tools": {"expected": ["search"]},
    "tool_f1": {"expected": ["search"]},
    "contains": {"value": "42"},
    "not_contains": {"value": "sorry"},
    "regex": {"value": r"\d+"},
    "equals": {"value": "42"},
    "json_schema": {"value": {}},
    "json_path": {"value": "$"},
    "max_latency_ms": {"value": 5000},
    "max_cost_usd": {"value": 1},
    "python": {"function": lambda output: output == "42"},
    "code": {"function": lambda context: context.agent_response == "42"},
    "geval": {"evaluation_steps": ["Look at the number."]},
}
SEARCH = ToolSpec("search", "Finds things.", {"type": "object"})
TRIAL = msgspec.structs.replace(
    trial_of(["search"], answer="42"),
    ground_truth="42",
    context=("The answer is 42.",),
    duration_s=0.5,
    cost_usd=0.001,
    tools=(SEARCH,),
)


def answer_any_judge(request: ModelRequest) -> AssistantMessage:
    """A reply that fits whatever is asked for: the best score, one statement, a yes with its quotation."""
    return says(json.dumps(_filled(request.response_schema or {})))


def _filled(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return "yes" if "yes" in schema["enum"] else max(schema["enum"])
    match schema.get("type"):
        case "object":
            return {key: "42" if key == "quote" else _filled(value) for key, value in schema["properties"].items()}
        case "array":
            return [_filled(schema["items"])]
        case "integer":
            return 1
        case _:
            return "42"


def built(name: str) -> Metric:
    options = OPTIONS.get(name, {})
    if "model" in catalog.info(name).needs:
        options = {**options, "model": ScriptedModel([answer_any_judge] * 100)}
    return catalog.build(name, **options)


@pytest.mark.parametrize("name", NAMES)
async def test_a_metric_stays_on_its_scale_and_gives_the_same_for_many_trials_at_once(name: str) -> None:
    metric, info = built(name), catalog.info(name)
    before = msgspec.json.encode(TRIAL)
    found = await asyncio.gather(*(metric.measure(TRIAL) for _ in range(5)))
    low, high = info.scale
    assert all(each.value is not None and low - 1e-9 <= each.value <= high + 1e-9 for each in found)
    assert all(each == found[0] for each in found)
    assert msgspec.json.encode(TRIAL) == before
    assert msgspec.json.encode(found[0])


@pytest.mark.parametrize("name", NAMES)
async def test_p021_no_metric_lets_a_case_pass_on_an_empty_answer(name: str) -> None:
    info = catalog.info(name)
    low, high = info.scale
    line = info.default_threshold if info.default_threshold is not None else (low if info.is_lower_better else high)
    empty = msgspec.structs.replace(TRIAL, output="")
    score = await GradedMetric(built(name), info, line).grade(empty)
    assert outcome_of([score], answer=empty.output) != "passed"


@pytest.mark.parametrize("name", [name for name in NAMES if catalog.info(name).needs & {"ground_truth", "context"}])
async def test_p021_no_metric_passes_without_what_it_needs(name: str) -> None:
    info = catalog.info(name)
    score = await GradedMetric(built(name), info, info.scale[0]).grade(Evidence("hi", "42"))
    assert score.outcome == "skipped"
    assert outcome_of([score]) == "errored"


@pytest.mark.parametrize("name", NAMES)
def test_a_default_threshold_lies_on_the_scale(name: str) -> None:
    info = catalog.info(name)
    assert info.default_threshold is None or info.complaint_about(info.default_threshold) is None
