"""Whatever is wrong with a file, the checks of what is left of it end without an exception."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seatrial.assembly.check import check
from seatrial.config.loader import load_agent

FILE = """\
name: shop
model: {provider: openai, name: gpt-5-mini}
instructions: Answer.
tools:
  - {name: book, type: prompt, description: d, template: "{day}", parameters: {day: {type: string}}}
evaluations:
  model: local:minilm-extractive
  metrics:
    - {metric: f1_score, threshold: 0.4}
    - rouge
test_cases:
  - input: Hello
    ground_truth: Hi
    evaluations: [rouge, {metric: bleu, threshold: 0.1}]
    expected_tools: [{name: book, args: {day: Monday}}]
    checks: [contains: Hi, {regex: H., ignore_case: true}]
variants:
  - {name: hot, model: {provider: openai, name: gpt-5-mini, temperature: 1}}
"""


SLIP = st.tuples(st.integers(0, len(FILE) - 1), st.sampled_from([*" \n:-{}[]'x5,", "", ": ", "- "]))


@settings(max_examples=200)
@given(slips=st.lists(SLIP, min_size=1, max_size=4))
def test_no_change_of_a_valid_file_makes_the_checks_fail(
    slips: list[tuple[int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    characters = list(FILE)
    for spot, written in slips:
        characters[spot] = written
    path = tmp_path_factory.mktemp("agent") / "agent.yaml"
    path.write_text("".join(characters), encoding="utf-8")
    for finding in check(load_agent(path, environ={})):
        assert finding.as_text()
