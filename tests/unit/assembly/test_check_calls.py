"""What a case expects of calls is looked at before anything runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from seatrial.assembly.check import check
from seatrial.config.loaded import LoadedAgent

Load = Callable[[str], LoadedAgent]
FIND = "tools: [{name: find, type: function, description: d, file: t.py, function: f}]\n"


@pytest.mark.parametrize(
    ("written", "meant"),
    [("{contains: x}", "regex"), ("{pattern: x}", "regex"), ("{approx: 3}", "fuzzy"), ("{and: [1]}", "any")],
)
def test_a_literal_that_other_tools_have_for_a_matcher_is_a_warning(load: Load, written: str, meant: str) -> None:
    loaded = load(f"{FIND}test_cases: [{{input: a, expected_tools: [{{name: find, args: {{q: {written}}}}}]}}]\n")
    (finding,) = check(loaded)
    key = written.strip("{").partition(":")[0]
    assert (finding.code, finding.severity) == ("ST510", "warning")
    assert finding.hint == f"did you mean `{meant}`? If not, write `{{literal: {{{key}: ...}}}}`"


@pytest.mark.parametrize(
    "written",
    ["{literal: {regx: x}}", "{any: true}", "{city: Oslo}", "{fuzzy: a, similarity: 0.5}", "{from: 1, to: 2}"],
)
def test_matchers_and_ordinary_values_are_no_slips(load: Load, written: str) -> None:
    loaded = load(f"{FIND}test_cases: [{{input: a, expected_tools: [{{name: find, args: {{q: {written}}}}}]}}]\n")
    assert check(loaded) == ()
