from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from seatrial.runs.records import CaseTally, RunRecord, Tally
from seatrial.runs.verdict import exit_code, is_cut_short

PASSED = CaseTally("a", "", 1, 1)
FAILED = CaseTally("b", "", 1, 0)
AWAY = CaseTally("c", "", 1, 0, provider_errors=1)
UNCHECKED = CaseTally("d", "", 0, 0)
FLAKY = CaseTally("e", "", 3, 2)
FLAKY_ENOUGH = CaseTally("e", "", 3, 2, require=2)
TOO_OFTEN_AWAY = CaseTally("f", "", 3, 1, provider_errors=1, require=2)


@pytest.mark.parametrize(
    ("cases", "run", "tally", "code"),
    [
        ([PASSED], {}, {"passed": 1}, 0),
        ([PASSED, UNCHECKED], {}, {"passed": 1, "unchecked": 1}, 0),
        ([PASSED, FAILED], {}, {"passed": 1, "failed": 1}, 1),
        ([PASSED, AWAY], {}, {"passed": 1, "errored": 1}, 3),
        ([FAILED, AWAY], {}, {"failed": 1, "errored": 1}, 1),
        ([UNCHECKED], {}, {"unchecked": 1}, 2),
        ([], {}, {"not_run": 3}, 2),
        ([FLAKY], {}, {"passed": 2, "failed": 1}, 1),
        ([FLAKY_ENOUGH], {}, {"passed": 2, "failed": 1}, 0),
        ([TOO_OFTEN_AWAY], {}, {"passed": 1, "failed": 1, "errored": 1}, 3),
        ([PASSED], {}, {"passed": 1, "metric_errors": 1}, 1),
        ([PASSED], {"stopped_by": "max_time"}, {"passed": 1}, 1),
        ([FAILED], {"stopped_by": "interrupted"}, {"failed": 1}, 130),
        ([PASSED], {"planned": 2}, {"passed": 1}, 1),
    ],
)
def test_e11_the_exit_code_of_a_run(
    a_run: Callable[..., RunRecord], cases: list[CaseTally], run: dict[str, Any], tally: dict[str, int], code: int
) -> None:
    counted = Tally(**tally)
    assert exit_code(a_run(**{"planned": counted.total, **run}), counted, cases) == code


@pytest.mark.parametrize(
    ("cases", "stopped_by", "is_cut"),
    [
        ([PASSED], "max_time", True),
        ([], "max_cost", True),
        ([AWAY], "max_tokens", True),
        ([PASSED, FAILED], "max_time", False),
        ([PASSED], "interrupted", False),
        ([PASSED], None, False),
    ],
)
def test_a_run_is_cut_short_when_a_budget_ended_it_and_nothing_had_failed(
    a_run: Callable[..., RunRecord], cases: list[CaseTally], stopped_by: str | None, is_cut: bool
) -> None:
    assert is_cut_short(a_run(stopped_by=stopped_by), Tally(), cases) is is_cut
