"""The support example is honest: its tools repeat none of its test cases."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

FOLDER = Path(__file__).parents[3] / "examples" / "support"
AGENT: dict[str, Any] = yaml.safe_load((FOLDER / "agent.yaml").read_text(encoding="utf-8"))
PHRASES = [phrase for tool in AGENT["tools"] for phrase in tool.get("examples", ())]
DESCRIPTIONS = [tool["description"] for tool in AGENT["tools"]]
INPUTS = [case["input"] for case in AGENT["test_cases"]]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def runs_of_four(text: str) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[start : start + 4]) for start in range(len(found) - 3)}


@pytest.mark.parametrize("case_input", INPUTS)
def test_no_tool_is_described_in_the_words_of_a_test_case(case_input: str) -> None:
    for phrase in [*PHRASES, *DESCRIPTIONS]:
        assert words(phrase) != words(case_input)
        assert not runs_of_four(phrase) & runs_of_four(case_input)


def test_every_case_says_which_tools_it_expects_and_what_a_good_answer_is() -> None:
    assert len(AGENT["test_cases"]) >= 10
    assert all("expected_tools" in case and case["ground_truth"] for case in AGENT["test_cases"])
