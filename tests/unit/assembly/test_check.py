"""Names that only the catalogues know are checked on their lines, before anything runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from seatrial.assembly.check import check
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.loaded import LoadedAgent

Load = Callable[[str], LoadedAgent]


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
    assert finding.hint == "did you mean 'openai_compatible'?"


def test_h003_a_model_that_the_catalogue_does_not_know_is_a_warning_with_near_names(load: Load) -> None:
    finding = only(load("model: {provider: anthropic, name: claude-sonet-4-5}\nname: a\ninstructions: b\n"))
    assert (finding.code, finding.severity, finding.line) == ("ST505", "warning", 1)
    assert "claude-sonnet-4-5" in (finding.hint or "")


@pytest.mark.parametrize(
    ("metric", "code", "said"),
    [
        ("{metric: f1_skore}", "ST306", "did you mean 'f1_score'?"),
        ("{metric: f1_score, threshold: 40}", "ST409", "0 to 1"),
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
          - {input: c, expected_tools: []}
          - {input: d, expected_tools: [], evaluations: []}
        """
    )
    finding = only(loaded)
    assert (finding.code, finding.line, finding.severity) == ("ST504", 8, "warning")
    assert "f1_score, rouge" in finding.message


def test_nothing_is_said_of_a_file_that_has_errors_already(load: Load) -> None:
    loaded = load("nonsense: true\n")
    assert loaded.errors
    assert check(loaded) == ()
