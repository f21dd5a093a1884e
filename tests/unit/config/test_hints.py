"""What is offered in place of a value that cannot be taken."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.config.conftest import HEAD, Load

TOOL = "tools:\n  - {name: price, type: function, description: Price., file: tools.py, function: price}\n"
CASE = "test_cases:\n  - input: a\n"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("limits: {max_turns: three}\n", "write `3`"),
        ("limits: {max_turns: 5 turns}\n", "write digits, like 3"),
        ("limits: {max_tokens: '10,000'}\n", "write `10000`"),
        ("limits: {max_tokens: 8k}\n", "write `8000`"),
        ("evaluations: [{metric: f1_score, threshold: 40%}]\n", "write `0.4`"),
        ("evaluations: [{metric: f1_score, threshold: '0,4'}]\n", "write `0.4`"),
        ("evaluations: [{metric: f1_score, threshold: 1/2}]\n", "write `0.5`"),
        ("evaluations: [{metric: f1_score, threshold: high}]\n", "write digits, like 0.5"),
        ("limits: {max_turns: 2.5}\n", "write digits, like 3"),
        (TOOL.replace("name: price", "name: get-price!"), "write `get_price`"),
        (CASE + "    checks: [{regex: 'a(b'}]\n", r"close it with ), or write \( for a bracket in the text"),
        (CASE + "    checks: [{regex: '*x'}]\n", r"write \* \+ or \? for such a sign in the text, .* for anything"),
        ("test_cases:\n  - checks: none\n", "add `input: What the user says.`"),
        ("tools: [{name: f, type: vectorstore, description: d}]\n", "add `source: folder`"),
        (CASE + "    checks:\n      - does_not_contain: x\n", "did you mean `not_contains`?"),
        ("tools: [{name: f, type: vectorstore, description: d, source: faqs}]\n", "there is data"),
    ],
)
def test_a_value_that_cannot_be_taken_comes_with_what_to_write(load_more: Load, text: str, hint: str | None) -> None:
    assert [error.hint for error in load_more(text).errors] == [hint]


@pytest.mark.parametrize(
    ("name", "hint"), [("gym desk", "write `gym-desk`"), ("9 lives", None), ("Café", "write `Caf`")]
)
def test_an_agents_name_is_offered_with_hyphens(load: Load, name: str, hint: str | None) -> None:
    (error,) = load(HEAD.replace("shop", name)).errors
    assert error.hint == hint
    assert f"not `{name}`" in error.message


def test_files_of_the_same_type_are_listed_where_one_is_missing(load: Load, project: Path) -> None:
    (project / "answers.md").write_text("x")
    (error,) = load(HEAD.replace("inline: Answer briefly.", "file: sys.md")).errors
    assert error.hint == "there are answers.md, prompt.md"


def test_a_forgotten_dash_is_one_finding_that_says_so(load_more: Load) -> None:
    text = "test_cases:\n  - input: a\n    checks: none\n    name: one\n    input: b\n    checks: none\n    name: two\n"
    (error,) = load_more(text).errors
    assert (error.code, error.line) == ("ST103", 11)
    assert "begin a new item here with `- `" in (error.hint or "")


def test_a_tool_with_another_tools_name_is_told_once(load_more: Load) -> None:
    second = TOOL.split("\n", 1)[1]
    text = TOOL + second + CASE + "    expected_tools: [opening_hours]\n"
    assert [error.code for error in load_more(text).errors] == ["ST401"]


def test_an_unknown_check_is_told_at_its_own_line(load_more: Load) -> None:
    for check in ("- excluding: x", "excluding: x", "excludes: x", "does_not_contain: x"):
        text = f"{CASE}    checks:\n      {check}\n"
        assert [(error.code, error.line) for error in load_more(text).errors] == [("ST102", 10)], text
