"""Weighted totals of all metrics and of each group."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.metrics.base import Score
from seatrial.metrics.totals import share_of, totals_of


def score(value: float | None, weight: float = 1.0, group: str = "", **more: object) -> Score:
    fields = {"threshold": 0.5, "scale": (0.0, 1.0), "weight": weight, "group": group}
    return Score("m", "passed" if value else "failed", value, **(fields | more))  # type: ignore[arg-type]


def test_weights_say_how_much_a_score_counts() -> None:
    (total,) = totals_of([("a", [score(1.0, weight=3), score(0.0)])])
    assert (total.group, total.mean, total.passed, total.failed) == ("", 0.75, 1, 1)


def test_groups_have_totals_of_their_own_beside_that_of_all() -> None:
    trials = [("a", [score(1.0, group="facts"), score(0.0, group="tone")]), ("b", [score(0.5, group="facts")])]
    found = {total.group: total for total in totals_of(trials)}
    assert list(found) == ["", "facts", "tone"]
    assert (found["facts"].mean, found["facts"].trials) == (0.75, 2)
    assert (found["tone"].mean, found["tone"].trials) == (0.0, 1)
    assert found[""].mean == pytest.approx(0.5)


def test_without_groups_and_weights_there_is_nothing_to_tell() -> None:
    assert totals_of([("a", [score(1.0)])]) == []
    assert totals_of([]) == []


def test_scales_and_directions_are_brought_together() -> None:
    assert share_of(score(3.0, scale=(1.0, 5.0))) == 0.5
    assert share_of(score(20.0, scale=(0.0, 100.0), is_lower_better=True)) == pytest.approx(0.8)
    assert share_of(score(7.0, scale=(0.0, None), is_lower_better=True)) == 1.0
    assert share_of(Score("ter", "failed", 7.0, 1.0, scale=(0.0, None))) == 0.0
    assert share_of(Score("ter", "scored", 7.0, scale=(0.0, None))) is None


def test_an_error_is_counted_and_is_no_zero() -> None:
    broken = Score("m", "error", None, 0.5, group="facts")
    total = totals_of([("a", [score(1.0, group="facts"), broken]), ("b", [broken])])[1]
    assert (total.mean, total.trials, total.missing) == (1.0, 1, 2)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 100)), min_size=1, max_size=8))
def test_a_total_lies_among_its_scores(pairs: list[tuple[float, float]]) -> None:
    totals = totals_of([("a", [score(value, weight, group="g") for value, weight in pairs])])
    values = [value for value, _ in pairs]
    for total in totals:
        assert min(values) - 1e-9 <= total.mean <= max(values) + 1e-9
        assert 0 <= total.interval_95.low <= total.interval_95.high <= 1
