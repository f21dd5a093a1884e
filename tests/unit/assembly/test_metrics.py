"""What an agent file asks to be measured is measured, with the thresholds it gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from seatrial.assembly.check import check
from seatrial.assembly.metrics import Metrics
from seatrial.config.loaded import LoadedAgent
from seatrial.config.model import ModelConfig
from seatrial.core.content import ToolCall
from seatrial.core.messages import AssistantMessage
from seatrial.core.model import Model
from seatrial.errors import ConfigError
from seatrial.metrics.base import Evidence, Score
from seatrial.providers.scripted import says, scripted

Load = Callable[[str], LoadedAgent]


def model_for(_config: ModelConfig) -> Model:
    return scripted()


async def scores(loaded: LoadedAgent, evidence: Evidence) -> dict[str, Score]:
    metrics = Metrics(loaded, model_for).of(loaded.require().test_cases[0])
    return {metric.shown_name: await metric.grade(evidence) for metric in metrics}


def answered(text: str, *calls: ToolCall) -> Evidence:
    return Evidence("q", text, messages=(AssistantMessage(content=calls),), ground_truth="the answer is 42")


@pytest.mark.parametrize(
    ("arguments", "outcome"),
    [({"id": "A-7", "note": "x"}, "passed"), ({"id": "B-7"}, "failed"), ({}, "failed")],
)
async def test_h013_expected_tools_carry_their_argument_matchers(
    load: Load, tmp_path: Path, arguments: dict[str, str], outcome: str
) -> None:
    (tmp_path / "t.py").write_text("def f(id): ...", encoding="utf-8")
    loaded = load(
        """
        tools: [{name: find, type: function, description: d, file: t.py, function: f}]
        test_cases:
          - {input: q, expected_tools: [{name: find, args: {id: {regex: '[A]-7'}}}]}
        """
    )
    found = await scores(loaded, answered("x", ToolCall("1", "find", arguments)))
    assert found["expected_tools"].outcome == outcome


async def test_metrics_of_the_block_have_their_thresholds_and_scales(load: Load) -> None:
    loaded = load(
        """
        evaluations:
          metrics:
            - {metric: f1_score, threshold: 0.5}
            - {metric: bleu, scale: 100}
            - {metric: exact, enabled: false}
            - {metric: equality, name: same, case_insensitive: true, threshold: 1}
        test_cases: [{input: q, ground_truth: x}]
        """
    )
    found = await scores(loaded, answered("THE ANSWER IS 42"))
    assert {name: score.outcome for name, score in found.items()} == {
        "f1_score": "passed",
        "bleu": "scored",
        "same": "passed",
    }
    assert found["f1_score"].threshold == 0.5


async def test_a_case_chooses_its_metrics_by_name_or_whole(load: Load) -> None:
    loaded = load(
        """
        evaluations: {metrics: [{metric: f1_score, threshold: 0.9}, {metric: rouge, threshold: 0.9}]}
        test_cases:
          - {input: q, ground_truth: x, evaluations: [f1_score, exact, {metric: rouge, threshold: 0.1}]}
        """
    )
    found = await scores(loaded, answered("the answer is 42"))
    assert {name: (score.outcome, score.threshold) for name, score in found.items()} == {
        "f1_score": ("passed", 0.9),
        "exact": ("scored", None),
        "rouge": ("passed", 0.1),
    }


async def test_checks_are_metrics_that_must_reach_one(load: Load, tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text("def short(output): return len(output) < 20", encoding="utf-8")
    loaded = load(
        """
        test_cases:
          - input: q
            checks:
              - contains: "42"
              - regex: "^the"
              - not_contains: answer
              - python: judge.py:short
              - {json_path: $.a, equals: 1}
        """
    )
    found = await scores(loaded, answered("the answer is 42"))
    assert {name: score.outcome for name, score in found.items()} == {
        "contains": "passed",
        "regex": "passed",
        "not_contains": "failed",
        "short": "passed",
        "json_path": "failed",
    }


def test_metrics_that_cases_share_are_built_once(load: Load) -> None:
    loaded = load(
        """
        evaluations: {metrics: [f1_score]}
        test_cases: [{input: a, ground_truth: x}, {input: b, ground_truth: y}, {input: c, evaluations: [exact]},
          {input: d, evaluations: [exact]}]
        """
    )
    metrics = Metrics(loaded, model_for)
    first, second, third, fourth = (metrics.of(case) for case in loaded.require().test_cases)
    assert first[0] is second[0]
    assert third[0] is fourth[0]


async def test_a_check_that_cannot_be_built_is_an_error_of_its_case_alone(load: Load, tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text("import not_a_module_anywhere\ndef short(output): ...", encoding="utf-8")
    loaded = load("test_cases: [{input: q, checks: [{python: 'judge.py:short'}, {contains: '42'}]}]\n")
    found = await scores(loaded, answered("42"))
    assert {name: score.outcome for name, score in found.items()} == {"python": "error", "contains": "passed"}
    assert "not_a_module_anywhere" in found["python"].reason


def test_a_metric_of_the_block_that_cannot_be_built_is_found_before_the_run(load: Load, tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text("import not_a_module_anywhere\ndef short(output): ...", encoding="utf-8")
    loaded = load("evaluations: {metrics: [{type: code, grader: 'judge.py:short'}]}\ntest_cases: [{input: q}]\n")
    with pytest.raises(ConfigError) as raised:
        Metrics(loaded, model_for).prepare()
    assert [finding.line for finding in raised.value.diagnostics] == [4]


async def test_a_metric_without_a_threshold_has_the_catalogues_own(load: Load) -> None:
    judged = scripted(says('{"violence": 0, "sexual": 0, "self_harm": 0, "hate_unfairness": 0, "reason": "fine"}'))
    loaded = load("evaluations: {metrics: [safety, f1_score]}\ntest_cases: [{input: q, ground_truth: x}]\n")
    metrics = Metrics(loaded, lambda _config: judged).of(loaded.require().test_cases[0])
    assert {metric.shown_name: metric.threshold for metric in metrics} == {"safety": 4.0, "f1_score": None}


async def test_a_metric_is_shown_under_the_name_that_the_user_wrote(load: Load) -> None:
    loaded = load(
        """
        evaluations:
          metrics:
            - rouge
            - rougeL
            - rouge1
            - {metric: rouge, variant: rouge2, name: pairs}
            - meteor
            - {metric: chrf, word_order: 2}
            - {metric: exact, name: the same}
        test_cases: [{input: q, ground_truth: x}]
        """
    )
    assert list(await scores(loaded, answered("the answer is 42"))) == [
        "rouge",
        "rougeL",
        "rouge1",
        "pairs",
        "meteor(synonyms=off)",
        "chrf(word_order=2)",
        "the same",
    ]


async def test_a_setting_of_a_metric_reaches_it(load: Load) -> None:
    loaded = load(
        """
        evaluations: [{metric: rouge, variant: rouge1}, {metric: numeric, pick: last}, {metric: bleu, lowercase: true}]
        test_cases: [{input: q, ground_truth: x}]
        """
    )
    evidence = Evidence("q", "IS 7 or 42 ANSWER THE", ground_truth="the answer is 42")
    found = await scores(loaded, evidence)
    assert found["rouge(variant=rouge1)"].details["variant"] == "rouge1"
    assert found["numeric"].value == 1
    assert (found["bleu"].value or 0) > 0.05


CALLS = """\
tools: [{name: find, type: function, description: d, file: t.py, function: f}]
evaluations: [{metric: expected_tools, threshold: 0.5}, tool_f1]
test_cases: [{input: q, expected_tools: [find, find]%s}, {input: r}]
"""


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ("", {"expected_tools": ("passed", 0.5), "tool_f1": ("scored", 2 / 3)}),
        (", evaluations: [tool_f1]", {"expected_tools": ("failed", 0.5), "tool_f1": ("scored", 2 / 3)}),
        (", evaluations: []", {"expected_tools": ("failed", 0.5)}),
    ],
)
async def test_metrics_of_tool_calls_compare_with_what_the_case_expects(
    load: Load, tmp_path: Path, more: str, found: dict[str, tuple[str, float]]
) -> None:
    (tmp_path / "t.py").write_text("def f(id): ...", encoding="utf-8")
    loaded = load(CALLS % more)
    assert check(loaded) == ()
    made = await scores(loaded, answered("x", ToolCall("1", "find", {})))
    assert {name: (score.outcome, pytest.approx(score.value)) for name, score in made.items()} == found
    assert Metrics(loaded, model_for).of(loaded.require().test_cases[1]) == []


async def test_expected_tools_asked_for_by_name_still_must_be_met(load: Load, tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text("def f(id): ...", encoding="utf-8")
    tools = "tools: [{name: find, type: function, description: d, file: t.py, function: f}]\n"
    loaded = load(f"{tools}test_cases: [{{input: q, expected_tools: [find], evaluations: [expected_tools]}}]\n")
    assert check(loaded) == ()
    assert {name: score.outcome for name, score in (await scores(loaded, answered("x"))).items()} == {
        "expected_tools": "failed"
    }


@pytest.mark.parametrize(
    ("order", "calls", "outcome"),
    [
        ("superset", ["find", "other"], "passed"),
        ("subset", ["find"], "passed"),
        ("subset", ["find", "other"], "failed"),
        ("exact", ["other", "find"], "failed"),
    ],
)
async def test_every_order_of_calls_can_be_asked_for(
    load: Load, tmp_path: Path, order: str, calls: list[str], outcome: str
) -> None:
    (tmp_path / "t.py").write_text("def f(): ...", encoding="utf-8")
    loaded = load(
        f"""
        tools:
          - {{name: find, type: function, description: d, file: t.py, function: f}}
          - {{name: other, type: function, description: d, file: t.py, function: f}}
        test_cases: [{{input: q, order: {order}, expected_tools: [find]}}]
        """
    )
    assert loaded.errors == ()
    made = [ToolCall(str(number), name, {}) for number, name in enumerate(calls)]
    assert (await scores(loaded, answered("x", *made)))["expected_tools"].outcome == outcome
