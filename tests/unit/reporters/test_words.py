from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.stored_trials import trial

from seatrial.metrics.base import Score
from seatrial.reporters.words import dollars, percent, seconds, total_cost, why
from seatrial.runs.records import Tally, TrialError


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.7, "70 %"),
        (2 / 3, "67 %"),
        (0.9996, "99.9 %"),
        (0.0001, "0.1 %"),
        (0.996, "99.6 %"),
    ],
)
def test_only_all_is_a_hundred_per_cent_and_only_nothing_is_none(share: float, shown: str) -> None:
    assert percent(share) == shown


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_a_share_in_between_never_looks_like_an_end(share: float) -> None:
    assert percent(share) not in ("0 %", "100 %", "0.0 %", "100.0 %")


@pytest.mark.parametrize(
    ("duration", "shown"),
    [
        (0.004, "0.00 s"),
        (0.996, "1.0 s"),
        (7.12, "7.1 s"),
        (59.97, "1 min 00 s"),
        (200, "3 min 20 s"),
        (7500, "2 h 05 min"),
    ],
)
def test_durations_have_the_unit_that_people_would_choose(duration: float, shown: str) -> None:
    assert seconds(duration) == shown


@pytest.mark.parametrize(
    ("cost", "shown"),
    [
        (None, "unknown"),
        (0, "$0.00"),
        (0.00001, "<$0.0001"),
        (0.0012, "$0.0012"),
        (0.5, "$0.500"),
        (1234.5, "$1,234.50"),
    ],
)
def test_p007_an_unknown_cost_is_never_zero_and_a_small_one_neither(cost: float | None, shown: str) -> None:
    assert dollars(cost) == shown


def test_p007_what_is_known_and_what_is_not_are_told_apart() -> None:
    assert total_cost(Tally(cost_usd=1.5)) == "$1.50"
    assert total_cost(Tally(cost_usd=1.5, unknown_costs=2)) == "$1.50 and 2 at an unknown price"
    assert total_cost(Tally(unknown_costs=2)) == "cost unknown"


def test_every_reason_why_a_trial_did_not_pass_is_told() -> None:
    failed = trial(
        outcome="failed",
        reason="cut off",
        scores=(
            Score("a", "failed", 0.0, 1.0, "0 < 1: no such text"),
            Score("b", "error", None, 0.5, "no judge"),
            Score("c", "passed", 1.0, 0.5),
        ),
    )
    assert list(why(failed)) == ["cut off", "a: no such text", "b: no judge"]
    assert list(why(trial())) == []
    assert list(why(trial(outcome="errored", error=TrialError("file", "gone", "mend it")))) == ["gone", "mend it"]
