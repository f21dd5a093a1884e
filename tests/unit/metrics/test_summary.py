"""What each metric comes to over a run."""

from __future__ import annotations

import msgspec
import pytest

from seatrial.core.usage import UsageTotal
from seatrial.metrics.base import MetricOutcome, Score
from seatrial.metrics.summary import summarize
from seatrial.stats.intervals import wilson
from seatrial.stats.repeats import Reducer


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


def drawn(*values: float) -> list[Score]:
    details = {"draws": [{"value": value} for value in values]}
    return [Score("relevance", "passed", values[0], 3.0, details=details, usage=UsageTotal(requests=len(values)))]


def test_the_draws_of_a_judge_have_krippendorffs_alpha() -> None:
    assert summarize([("a", drawn(1, 1)), ("b", drawn(5, 5)), ("c", drawn(3, 3))])[0].draws_alpha == 1.0
    assert summarize([("a", drawn(1, 5)), ("b", drawn(5, 1))])[0].draws_alpha == pytest.approx(-0.5)
    assert summarize([("a", drawn(1)), ("b", [score("error")])])[0].draws_alpha is None


def test_details_of_the_user_s_own_are_not_taken_for_draws() -> None:
    odd = Score("mine", "passed", 1.0, 1.0, details={"draws": ["a", "b"]})
    assert summarize([("a", [odd])])[0].draws_alpha is None


@pytest.mark.parametrize(("how", "mean"), [("mean", 0.55), ("max", 0.9), ("min", 0.2), ("median", 0.55)])
def test_the_tries_of_a_case_become_one_value_as_the_file_says(how: Reducer, mean: float) -> None:
    tries = [("a", [Score("f1", "passed", value, 0.1, reduce=how, scale=(0.0, 1.0))]) for value in (0.2, 0.9)]
    (found,) = summarize(tries)
    assert found.mean == pytest.approx(mean)
