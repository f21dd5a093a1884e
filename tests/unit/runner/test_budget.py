from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.stored_trials import trial

from seatrial.core.usage import UsageTotal
from seatrial.errors import ConfigError
from seatrial.metrics.base import Score
from seatrial.runner.budget import Budget, Spending
from seatrial.runs.records import Tally, TrialError


def test_a_trial_begins_only_while_the_budget_has_room_for_those_under_way() -> None:
    spending = Spending(Budget(max_cost_usd=1.0), Tally())
    for _ in range(4):
        assert spending.reason_to_stop() is None
    spending.count(trial(cost_usd=0.3))
    assert spending.reason_to_stop() == "max_cost"
    for _ in range(3):
        spending.count(trial(cost_usd=0.1))
    assert spending.reason_to_stop() is None


def test_what_earlier_parts_of_the_run_have_cost_counts_too() -> None:
    before = Tally(passed=10, cost_usd=0.95, input_tokens=900, output_tokens=100)
    assert Spending(Budget(max_cost_usd=0.9), before).reason_to_stop() == "max_cost"
    assert Spending(Budget(max_tokens=1000), before).reason_to_stop() == "max_tokens"
    assert Spending(Budget(max_tokens=1001, max_cost_usd=1.0), before).reason_to_stop() is None


def test_an_unknown_price_never_makes_a_money_budget_toothless() -> None:
    with pytest.raises(ConfigError, match="the price of gpt-x is unknown"):
        Budget(max_cost_usd=1.0).refuse_unknown_prices({"gpt-x": False, "gpt-y": True})
    Budget(max_tokens=5).refuse_unknown_prices({"gpt-x": False})
    spending = Spending(Budget(max_cost_usd=1.0), Tally())
    assert spending.reason_to_stop() is None
    assert spending.count(trial(cost_usd=None)) == "unknown_cost"


def test_a_request_that_the_provider_refused_costs_nothing() -> None:
    spending = Spending(Budget(max_cost_usd=1.0), Tally())
    assert spending.count(trial(outcome="errored", error=TrialError("provider", "401"))) is None
    assert spending.count(trial(usage=UsageTotal())) is None


def test_judges_are_paid_out_of_the_same_budget() -> None:
    judged = Score("relevance", "passed", 4.0, 3.0, usage=UsageTotal(900, 90, requests=1), cost_usd=0.9)
    spending = Spending(Budget(max_cost_usd=1.0), Tally())
    assert spending.reason_to_stop() is None
    assert spending.count(trial(cost_usd=0.1, scores=(judged,))) is None
    assert spending.reason_to_stop() == "max_cost"
    tokens = Spending(Budget(max_tokens=1000), Tally())
    assert tokens.reason_to_stop() is None
    tokens.count(trial(scores=(judged,)))
    assert tokens.reason_to_stop() == "max_tokens"


@given(st.lists(st.floats(0.01, 0.5), min_size=1), st.floats(0.1, 5.0))
def test_one_at_a_time_never_overspends_by_more_than_one_trial(costs: list[float], limit: float) -> None:
    spending = Spending(Budget(max_cost_usd=limit), Tally())
    spent = 0.0
    for cost in costs:
        if spending.reason_to_stop() is not None:
            break
        assert spent < limit
        spending.count(trial(cost_usd=cost))
        spent += cost
