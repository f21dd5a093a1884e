"""Names that only the catalogues know are checked on their lines, before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from seatrial.assembly.check import check
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.loaded import LoadedAgent

Load = Callable[[str], LoadedAgent]
FIND = "tools: [{name: find, type: function, description: d, file: t.py, function: f}]\n"


def findings(loaded: LoadedAgent) -> list[tuple[str, int]]:
    assert loaded.errors == ()
    return [(finding.code, finding.line) for finding in check(loaded)]


def only(loaded: LoadedAgent) -> Diagnostic:
    (finding,) = check(loaded)
    return finding


def test_a_file_of_known_names_has_no_findings(load: Load) -> None:
    loaded = load(
        """
        evaluations: {metrics: [{metric: f1_score, threshold: 0.5}, {metric: bleu, threshold: 40, scale: 100}]}
        test_cases: [{input: hi, ground_truth: ho}]
        """
    )
    assert findings(loaded) == []


def test_an_unknown_provider_is_named_with_the_nearest_one(load: Load) -> None:
    finding = only(load("model: {provider: opanai_compatible, name: x}\nname: a\ninstructions: b\n"))
    assert (finding.code, finding.line, finding.column) == ("ST406", 1, 19)
    assert finding.hint == "did you mean `openai_compatible`?"


def test_h003_a_model_that_the_catalogue_does_not_know_is_a_warning_with_near_names(load: Load) -> None:
    finding = only(load("model: {provider: anthropic, name: claude-sonet-4-5}\nname: a\ninstructions: b\n"))
    assert (finding.code, finding.severity, finding.line) == ("ST505", "warning", 1)
    assert "claude-sonnet-4-5" in (finding.hint or "")


@pytest.mark.parametrize(
    ("metric", "code", "said"),
    [
        ("{metric: f1_skore}", "ST306", "did you mean `f1_score`?"),
        ("{metric: f1_score, threshold: 40}", "ST409", "0 to 1 write 0.4"),
        ("{metric: bleu, threshold: 40}", "ST409", "write 0.4, or add `scale: 100`"),
        ("{metric: contains}", "ST104", "`checks: [{contains: ...}]`"),
        ("{metric: code}", "ST104", "grader: file.py:function"),
        ("{metric: f1_score, scale: 7}", "ST409", "7"),
        ("{metric: bleu, threshold: 0.4, scale: 10}", "ST409", "10"),
        ("{metric: rouge, case_insensitive: true}", "ST102", "no option 'case_insensitive'"),
        ("{metric: relevance}", "ST302", "name a judge"),
    ],
)
def test_h011_a_metric_that_cannot_be_meant_is_found(load: Load, metric: str, code: str, said: str) -> None:
    finding = only(load(f"evaluations:\n  metrics:\n    - {metric}\n"))
    assert (finding.code, finding.line) == (code, 6)
    assert said in f"{finding.message} {finding.hint}"


def test_h013_the_metrics_that_a_case_chooses_are_known_or_found(load: Load) -> None:
    loaded = load(
        """
        evaluations: {metrics: [f1_score]}
        test_cases:
          - {input: a, ground_truth: b, evaluations: [f1_score, rouge]}
          - {input: c, ground_truth: d, evaluations: [ruge]}
        """
    )
    assert findings(loaded) == [("ST506", 7), ("ST306", 8)]


def test_a_metric_that_compares_wants_a_ground_truth(load: Load) -> None:
    loaded = load(
        """
        evaluations: {metrics: [f1_score, rouge]}
        test_cases:
          - {input: a, ground_truth: b}
          - {input: c}
          - {input: d, expected_tools: [], evaluations: []}
        """
    )
    finding = only(loaded)
    assert (finding.code, finding.line, finding.severity) == ("ST504", 8, "warning")
    assert "f1_score, rouge" in finding.message


@pytest.mark.parametrize(
    "own", ["expected_tools: []", "forbidden_tools: [find]", "checks: [{contains: x}]", "checks: none"]
)
def test_a_case_with_something_of_its_own_to_check_needs_no_ground_truth_unless_it_asks_for_it(
    load: Load, own: str, tmp_path: Path
) -> None:
    (tmp_path / "t.py").write_text("def f(id): ...", encoding="utf-8")
    head = f"{FIND}evaluations: {{metrics: [f1_score]}}\n"
    assert findings(load(f"{head}test_cases: [{{input: a, {own}}}]\n")) == []
    assert findings(load(f"{head}test_cases: [{{input: a, {own}, evaluations: [f1_score]}}]\n")) == [("ST504", 6)]


def test_an_error_of_form_hides_nothing_that_is_wrong_elsewhere(load: Load) -> None:
    loaded = load(
        """
        tools:
          - {type: vectorstore, description: nameless, source: .}
          - {name: search, type: vectorstore, description: d, source: ., top_k: three}
          - {name: book, type: prompt, description: d, template: "{day}", parameters: {day: {type: string}}}
        evaluations:
          metrics:
            - {metric: f1_score, threshold: 4}
            - {threshold: 1}
            - {metric: bleu, threshold: three}
            - {metric: rouge, scale: 7}
        test_cases:
          - {input: a, ground_truth: [b], evaluations: [bleu]}
          - {input: c, evaluations: [bleu]}
          - {input: d, nonsense: 1, ground_truth: x, evaluations: [ruge]}
          - {input: e, ground_truth: x, expected_tools: [{name: book, args: {dya: Monday}}]}
        """
    )
    assert loaded.config is None
    assert [(finding.code, finding.line) for finding in check(loaded)] == [
        ("ST409", 11),
        ("ST409", 14),
        ("ST504", 17),
        ("ST306", 18),
        ("ST203", 19),
    ]
    paths = {finding.line: finding.key_path for finding in check(loaded)}
    assert paths[14] == ("evaluations", "metrics", 3, "scale")
    assert paths[19] == ("test_cases", 3, "expected_tools", 0, "args", "dya")


def test_a_broken_head_hides_nothing_either(load: Load) -> None:
    loaded = load("model: {provider: opanai}\nname: my shop\nevaluations: [{metric: f1_score, threshold: 4}]\n")
    assert [(finding.code, finding.line) for finding in check(loaded)] == [("ST406", 1), ("ST409", 3)]


def test_nothing_is_said_of_a_file_that_has_errors_already(load: Load) -> None:
    loaded = load("nonsense: true\n")
    assert loaded.errors
    assert check(loaded) == ()


@pytest.mark.parametrize("place", ["model: {provider: local, name: gpt-4o}", "model: local:gpt-4o"])
def test_the_embedded_engine_answers_under_no_other_name(load: Load, place: str) -> None:
    finding = only(load(f"{place}\nname: a\ninstructions: b\n"))
    assert (finding.code, finding.severity, finding.line) == ("ST406", "error", 1)
    assert "gpt-4o" in finding.message
    assert "`minilm-extractive`" in (finding.hint or "")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("f1", "did you mean `f1_score` or `tool_f1`? all: docs/metrics.md"),
        ("accuracy", "did you mean `exact`, `equality` or `numeric`? all: docs/metrics.md"),
        ("Exact-Match", "did you mean `exact`?"),
        ("bleu_score", "did you mean `bleu`?"),
        ("rouge-l", "did you mean `rougeL`?"),
        ("contextual", "`contextual_precision`, `contextual_recall` or `contextual_relevancy`"),
        ("hallucination", "`groundedness` or `faithfulness`"),
        ("zzzzzz", "all: docs/metrics.md"),
    ],
)
def test_an_unknown_metric_is_answered_with_a_few_that_may_be_meant(load: Load, name: str, said: str) -> None:
    for text in (f"evaluations: [{name}]\n", f"evaluations: [{name}]\nlimts: {{}}\n"):
        (finding,) = [finding for finding in check(load(text)) if finding.code == "ST306"]
        assert said in (finding.hint or "")
        assert (finding.hint or "").count("`") <= 10


def test_two_metrics_that_would_be_shown_under_one_name_are_found(load: Load, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def rougeL(**_): ...", encoding="utf-8")
    loaded = load(
        """
        evaluations:
          metrics:
            - rouge
            - rougeL
            - {type: code, grader: 'a.py:rougeL'}
        test_cases:
          - {input: a, ground_truth: b, evaluations: [rouge, {metric: rouge, threshold: 0.5}]}
          - {input: a, ground_truth: b, evaluations: [{metric: exact, name: rouge}]}
          - {input: a, ground_truth: b, checks: [{contains: x}, {contains: y}, {equals: z, name: rouge}]}
          - {input: a, ground_truth: b, expected_tools: [], evaluations: [{metric: exact, name: expected_tools}]}
        """
    )
    assert findings(loaded) == [("ST401", line) for line in (9, 11, 12, 13, 14)]
    first = check(loaded)[0]
    assert first.message == "this metric would be shown as `rougeL`, like what stands in line 8"
    assert "`name: ...`" in (first.hint or "")


PRICE = """\
tools:
  - name: price
    type: function
    description: d
    file: t.py
    function: f
    parameters:
      visitor: {type: str, enum: [adult, child]}
      visits: {type: int, required: false}
      day: {type: str, required: false}
"""


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("{visit: 10}", "price has no parameter `visit` did you mean `visits`?"),
        ("{visits: ten}", 'no call of price can have `visits: "ten"`'),
        ("{visitor: pupil}", 'no call of price can have `visitor: "pupil"`'),
        ("{visitor: {literal: 3}}", "no call of price can have `visitor: 3`"),
        ("{day: 5}", "no call of price can have `day: 5`"),
    ],
)
def test_arguments_that_no_call_can_have_are_found(load: Load, tmp_path: Path, args: str, said: str) -> None:
    (tmp_path / "t.py").write_text("def f(**_): ...", encoding="utf-8")
    case = "test_cases:\n  - input: a\n    expected_tools:\n      - name: price\n"
    finding = only(load(f"{PRICE}{case}        args: {args}\n"))
    assert (finding.code, finding.line) == ("ST203", 18)
    assert said in f"{finding.message} {finding.hint}"


@pytest.mark.parametrize("args", ["{visits: 10, visitor: child}", "{visitor: {regex: 'ch.*'}}", "{day: '5'}"])
def test_arguments_that_a_call_can_have_are_no_finding(load: Load, tmp_path: Path, args: str) -> None:
    (tmp_path / "t.py").write_text("def f(**_): ...", encoding="utf-8")
    assert findings(load(f"{PRICE}test_cases: [{{input: a, expected_tools: [{{name: price, args: {args}}}]}}]\n")) == []


def test_arguments_of_a_tool_that_declares_none_are_left_to_the_run(load: Load, tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text("def f(id): ...", encoding="utf-8")
    assert findings(load(f"{FIND}test_cases: [{{input: a, expected_tools: [{{name: find, args: {{x: 1}}}}]}}]\n")) == []


def test_a_tool_cannot_be_expected_and_forbidden(load: Load, tmp_path: Path) -> None:
    (tmp_path / "t.py").write_text("def f(id): ...", encoding="utf-8")
    case = "test_cases:\n  - input: a\n    expected_tools: [{}]\n    forbidden_tools: [find]\n"
    finding = only(load(FIND + case.format("find")))
    assert (finding.code, finding.line, finding.message) == ("ST203", 8, "`find` is expected and forbidden")
    assert findings(load(FIND + case.format("{name: find, count: 0}"))) == []


def test_a_model_that_the_settings_describe_is_known_and_a_provider_misspelt_there_is_told(
    load: Load, tmp_path: Path
) -> None:
    agent = "model: {provider: anthropic, name: claude-own}\nname: a\ninstructions: b\n"
    (tmp_path / "seatrial.yaml").write_text("models: {anthropic: {claude-own: {max_tokens: 5}}}\n")
    assert findings(load(agent)) == []
    (tmp_path / "seatrial.yaml").write_text("models:\n  antropic: {claude-own: {max_tokens: 5}}\n")
    told = [(finding.code, finding.file.name, finding.line, finding.hint) for finding in check(load(agent))]
    assert ("ST510", "seatrial.yaml", 2, "did you mean `anthropic`?") in told
