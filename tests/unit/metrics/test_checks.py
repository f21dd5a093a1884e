"""Deterministic checks on the answer and the run."""

from __future__ import annotations

import time
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from seatrial.errors import MetricError
from seatrial.metrics import catalog
from seatrial.metrics.at_path import AtPath
from seatrial.metrics.base import Evidence, Measurement, Score
from seatrial.metrics.checks.negated import Negated
from seatrial.metrics.checks.python import PythonFunction
from seatrial.metrics.grading import GradedMetric
from seatrial.metrics.regex import STEPS_INLINE, steps_at_worst


async def check(name: str, answer: str, **options: Any) -> Score:
    return await graded(name, Evidence("hi", answer), **options)


async def graded(name: str, evidence: Evidence, **options: Any) -> Score:
    info = catalog.info(name)
    return await GradedMetric(catalog.build(name, **options), info, info.default_threshold).grade(evidence)


@pytest.mark.parametrize(
    ("name", "options", "right", "wrong"),
    [
        ("contains", {"value": "Paris"}, "It is Paris.", "It is paris."),
        ("contains", {"value": "paris", "ignore_case": True}, "It is PARIS.", "It is Rome."),
        ("contains", {"value": ["a", "b"]}, "b, a", "a only"),
        ("contains", {"value": ["x", "y"], "any_of": True}, "just y", "neither"),
        ("contains", {"value": "é"}, "cafe\u0301", "cafe"),
        ("not_contains", {"value": ["sorry", "cannot"]}, "Here it is.", "I cannot."),
        ("regex", {"value": r"order \d{4}\b"}, "Your order 4711.", "Your order 47."),
        ("regex", {"value": "^yes$", "ignore_case": True}, "YES", "yes and no"),
        ("regex", {"value": "yes|no", "whole": True}, "no", "no way"),
        ("regex", {"value": "^b$", "multiline": True}, "a\nb\nc", "ab"),
        ("equals", {"value": "Paris"}, " Paris\n", "Paris."),
        ("equals", {"value": "yes", "ignore_case": True}, "Yes", "yes!"),
        ("equals", {"value": 42}, "42.0", "42 items"),
        ("equals", {"value": ["yes", "no"]}, " no", "maybe"),
        ("equals", {"value": [1, "a"]}, '[1, "a"]', "1"),
        ("equals", {"value": {"a": [1]}}, '{"a": [1]}', '{"a": [1, 2]}'),
        ("json_schema", {"value": {"type": "object", "required": ["id"]}}, '{"id": 1}', '{"ID": 1}'),
        ("json_schema", {"value": {"type": "object"}}, '```json\n{"id": 1}\n```', "no json"),
        ("json_schema", {"value": {}}, "[]", '{"a": NaN}'),
        ("json_path", {"value": "$.a.b[0]"}, '{"a": {"b": [null]}}', '{"a": {"b": []}}'),
        ("json_path", {"value": "$.status", "equals": "ok"}, '{"status": "ok"}', '{"status": "OK"}'),
        ("json_path", {"value": "$.ok", "equals": None}, '{"ok": null}', '{"ok": 0}'),
        ("json_path", {"value": "id", "matches": r"^\d+$"}, '{"id": 47}', '{"id": "47x"}'),
        ("json_path", {"value": "$.tags[*]", "contains": ["a", "b"]}, '{"tags": ["x", "ba"]}', '{"tags": ["a", "b"]}'),
        ("json_path", {"value": "s", "equals": "OK", "ignore_case": True}, '{"s": "ok"}', '{"s": "okay"}'),
        ("json_path", {"value": "$..error", "exists": False}, '{"a": [1]}', '{"a": [{"error": 1}]}'),
    ],
)
async def test_checks_pass_what_is_right_and_fail_what_is_wrong(
    name: str, options: dict[str, Any], right: str, wrong: str
) -> None:
    assert (await check(name, right, **options)).outcome == "passed"
    failed = await check(name, wrong, **options)
    assert failed.outcome == "failed"
    assert failed.reason


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("contains", {"value": "x"}),
        ("not_contains", {"value": "sorry"}),
        ("regex", {"value": ".*"}),
        ("equals", {"value": "x"}),
        ("json_schema", {"value": {}}),
        ("json_path", {"value": "$.a", "exists": False}),
    ],
)
async def test_p021_an_empty_answer_passes_no_check(name: str, options: dict[str, Any]) -> None:
    assert (await check(name, " \n", **options)).outcome == "failed"


async def test_an_empty_answer_is_right_where_exactly_that_is_asked_for() -> None:
    asked_for = [await check("equals", " ", value=""), await check("regex", "", value="(x)?", whole=True)]
    for score in asked_for:
        assert (score.outcome, score.is_empty_right) == ("passed", True)
    assert not (await check("equals", "x", value="x")).is_empty_right


async def test_p021_the_opposite_of_a_check_fails_an_empty_answer_too() -> None:
    negated = Negated(catalog.build("contains", value="sorry"))
    assert (await negated.measure(Evidence("hi", "Here it is."))).value == 1.0
    said = await negated.measure(Evidence("hi", "I am sorry."))
    assert (said.value, said.reason) == (0.0, "contains holds")
    assert (await negated.measure(Evidence("hi", ""))).value == 0.0


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("contains", {"value": ""}),
        ("contains", {"value": []}),
        ("contains", {"text": "x"}),
        ("regex", {"value": "(unclosed"}),
        ("regex", {"value": "a{99999999999}"}),
        ("json_schema", {"value": {"type": "strin"}}),
        ("json_schema", {"value": {"$ref": "http://127.0.0.1/schema.json"}}),
        ("json_path", {"value": "$.a[?(@.b)]"}),
        ("json_path", {"value": "$.a", "exists": False, "equals": 1}),
        ("max_latency_ms", {"value": -1}),
        ("max_cost_usd", {"value": float("nan")}),
    ],
)
def test_a_check_that_cannot_be_meant_is_refused_when_it_is_built(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(MetricError):
        catalog.build(name, **options)


@pytest.mark.parametrize("pattern", [r"(a+)+$", r"(a|a)*b", r"(a|ab)(a|ab)*c", r"(?:a?){40}b", r"(.*)*x", r"(a+)\1+b"])
async def test_a_regular_expression_that_would_hang_is_an_error_within_seconds(
    pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("seatrial.metrics.regex.TIMEOUT_S", 0.5)
    started = time.monotonic()
    score = await check("regex", "a" * 5000, value=pattern)
    assert time.monotonic() - started < 10
    assert score.outcome in ("error", "failed", "passed")
    assert score.outcome != "error" or "took more than" in score.reason


async def test_a_slow_regular_expression_on_a_short_text_still_gives_its_result() -> None:
    score = await check("regex", "x aaaa ü y", value=r"(a+)+ (ü)")
    assert (score.outcome, score.reason) == ("passed", "matched 'aaaa ü'")


@pytest.mark.parametrize(
    ("pattern", "is_cheap"),
    [
        ("Paris", True),
        (r"order \d+", True),
        (r"[(+*]\(\+", True),
        (r"(?P<year>\d{4})-(\d\d)?", True),
        (r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2} \w+", True),
        (r"a{2,3}b{0,4}", True),
        (r"(a+){10}", False),
        (r"(a{2,}b*)+", False),
        (r"(a+)+", False),
        (r"(a|b)*", False),
        (r".*.*.*=", False),
        (r"(a)\1", False),
    ],
)
def test_the_cost_of_a_pattern_is_estimated_from_its_repeats(pattern: str, is_cheap: bool) -> None:
    assert (steps_at_worst(pattern, 1000) <= STEPS_INLINE) is is_cheap


async def test_limits_hold_up_to_their_value_and_unknown_is_an_error() -> None:
    trial = Evidence("hi", "x", duration_s=2.0, cost_usd=0.01)
    assert (await graded("max_latency_ms", trial, value=2000)).outcome == "passed"
    assert (await graded("max_latency_ms", trial, value=1999)).outcome == "failed"
    assert (await graded("max_cost_usd", trial, value=0.01)).outcome == "passed"
    assert (await graded("max_cost_usd", trial, value=0)).outcome == "failed"
    unknown = msgspec.structs.replace(trial, duration_s=None, cost_usd=None)
    assert (await graded("max_cost_usd", unknown, value=5)).outcome == "error"
    assert (await graded("max_latency_ms", unknown, value=5)).outcome == "error"


async def plainly(function: Any) -> Measurement:
    return await PythonFunction(function=function).measure(Evidence("hi", "the answer", ground_truth="truth"))


async def test_a_python_function_is_called_with_what_it_asks_for() -> None:
    async def asynchronous(output: str, ground_truth: str, other: int = 1) -> dict[str, object]:
        return {"score": 0.25, "reason": f"{output}/{ground_truth}", "details": [other]}

    assert await plainly(lambda evidence: evidence.output == "the answer") == Measurement(1.0)
    assert await plainly(lambda trial: (0.5, trial.input)) == Measurement(0.5, "hi")
    assert await plainly(asynchronous) == Measurement(0.25, "the answer/truth", [1])
    assert (await plainly(lambda _trial: None)).value is None
    assert await plainly(lambda _trial: Decimal("0.5")) == Measurement(0.5)


async def test_details_that_json_cannot_hold_are_kept_as_text() -> None:
    found = await plainly(lambda _trial: {"score": 1, "details": {"when": {1, 2}, "what": object}})
    assert msgspec.json.encode(found)


@pytest.mark.parametrize("found", ["yes", {"reason": ""}, object(), {"score": "high"}])
async def test_a_python_function_that_gives_no_value_is_an_error(found: object) -> None:
    with pytest.raises(MetricError):
        await plainly(lambda _trial: found)


def test_a_python_function_with_parameters_of_its_own_invention_is_refused() -> None:
    with pytest.raises(MetricError, match="reply, truth"):
        PythonFunction(function=lambda reply, truth: (reply, truth))


async def test_a_part_of_a_json_answer_can_be_measured_alone() -> None:
    metric = AtPath(catalog.build("equality"), path="$.city")
    trial = Evidence("hi", '{"city": "Paris"}', ground_truth="Paris")
    assert (await metric.measure(trial)).value == 1.0
    no_json = await metric.measure(msgspec.structs.replace(trial, output="Paris"))
    assert no_json.value == 0.0
    assert no_json.reason.startswith("the answer is no JSON")
    nowhere = await metric.measure(msgspec.structs.replace(trial, output="{}"))
    assert nowhere.reason == "$.city leads to 0 values, one is needed; the answer is empty"


async def test_p021_a_missing_part_is_as_bad_as_can_be_where_lower_is_better() -> None:
    metric = AtPath(catalog.build("ter"), path="$.city")
    assert (await metric.measure(Evidence("hi", "{}", ground_truth="Paris"))).value == 1.0


@pytest.mark.parametrize("answer", ["{}", "Paris", '{"city": ["", ""]}'])
@pytest.mark.parametrize("metric", ["equality", "levenshtein_similarity"])
async def test_p021_a_missing_part_is_no_empty_part(metric: str, answer: str) -> None:
    at_path = AtPath(catalog.build(metric), path="$.city[*]" if "[" in answer else "$.city")
    with pytest.raises(MetricError, match="there is nothing to compare"):
        await at_path.measure(Evidence("hi", answer, ground_truth=""))
    found = await AtPath(catalog.build(metric), path="$.city").measure(Evidence("hi", '{"city": ""}', ground_truth=""))
    assert found.value == 1.0


@pytest.mark.parametrize(
    "answer", ["\u200b", "\ufeff \u2060", "\u00ad\u034f", "\u3164", "\u2800\n", "\x00\x1b", "\ufe0f"]
)
def test_p021_an_answer_of_invisible_characters_is_empty(answer: str) -> None:
    assert Evidence("hi", answer).is_answer_empty
    assert not Evidence("hi", f"{answer}.").is_answer_empty
