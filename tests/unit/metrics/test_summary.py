"""What each metric comes to over a run."""

from __future__ import annotations

import msgspec
import pytest

from seatrial.metrics.base import MetricOutcome, Score
from seatrial.metrics.summary import summarize
from seatrial.stats.intervals import wilson


def score(outcome: MetricOutcome, value: float | None = None, metric: str = "relevance") -> Score:
    return Score(metric, outcome, value, 3.0, scale=(1.0, 5.0))


def test_p014_errors_are_counted_beside_the_mean_and_are_no_zeros() -> None:
    values = [4.0, 4.0, 2.0, 4.0, 5.0]
    trials = [(f"case {place}", [score("passed", value)]) for place, value in enumerate(values)]
    trials += [(f"broken {place}", [score("error")]) for place in range(5)]
    (summary,) = summarize(trials)
    assert summary.mean == pytest.approx(3.8)
    assert (summary.scored, summary.errors, summary.skipped) == (5, 5, 0)
    assert summary.interval_95 is not None
    assert 1 <= summary.interval_95.low < 3.8 < summary.interval_95.high <= 5


def test_metrics_stand_in_the_order_in_which_they_first_appear() -> None:
    trials = [
        ("a", [score("passed", 4, "second"), score("failed", 1, "first")]),
        ("b", [score("skipped", None, "late")]),
    ]
    assert [each.metric for each in summarize(trials)] == ["second", "first", "late"]
    late = summarize(trials)[-1]
    assert (late.mean, late.interval_95, late.skipped) == (None, None, 1)


def test_rates_of_single_tries_have_wilsons_interval() -> None:
    trials = [(str(n), [Score("contains", "passed", 1.0, 1.0, scale=(0.0, 1.0))]) for n in range(5)]
    (summary,) = summarize(trials)
    assert summary.interval_95 == wilson(5, 5)


def test_one_value_on_an_open_scale_has_no_interval() -> None:
    (summary,) = summarize([("a", [Score("ter", "scored", 0.7, scale=(0.0, None), is_lower_better=True)])])
    assert (summary.mean, summary.interval_95) == (0.7, None)
    assert summary.is_lower_better


def test_a_score_survives_its_way_through_json() -> None:
    kept = Score("ter", "scored", 0.7, scale=(0.0, None), is_lower_better=True)
    assert msgspec.json.decode(msgspec.json.encode(kept), type=Score) == kept
