from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.config.cases import CaseConfig
from seatrial.errors import ConfigError
from seatrial.runner.plan import CasePlace, Plan, case_names, plan_cases
from seatrial.runs.records import Selection, TrialKey


def case(name: str | None = None, text: str = "hi", **more: Any) -> CaseConfig:
    return CaseConfig(name=name, input=text, **more)


def chosen(configs: list[CaseConfig], **conditions: Any) -> list[str]:
    return [planned.name for planned in plan_cases(configs, Selection(**conditions))]


def test_a_case_without_a_name_is_named_after_its_input() -> None:
    assert case_names([case(text="Where is my order A-1001?")]) == ["where-is-my-order-a-1001"]


def test_names_made_of_inputs_are_short_whole_words_of_any_script() -> None:
    names = case_names(
        [case(text="What is the return policy for items that were opened?"), case(text="返品できますか?")]
    )
    assert names == ["what-is-the-return-policy-for-items-that", "返品できますか"]


def test_a_name_made_of_an_input_stays_when_cases_come_before_it() -> None:
    late = case(text="Is it open?")
    assert case_names([case(text="Other"), late])[-1] == case_names([late])[0]


def test_names_never_collide_with_given_ones() -> None:
    assert case_names([case(text="hi"), case("hi"), case(text="hi"), case(text="?!")]) == ["hi-2", "hi", "hi-3", "case"]


@given(st.lists(st.text(min_size=1).filter(str.strip), max_size=20))
def test_every_case_has_a_name_of_its_own(inputs: list[str]) -> None:
    names = case_names([CaseConfig.model_construct(name=None, input=text) for text in inputs])
    assert len(set(names)) == len(inputs)
    assert all(names)


CASES = [case("order status", tags=("orders",)), case("order cancel", tags=("orders", "slow")), case("refund")]


def test_a_pattern_is_a_part_of_the_name_in_any_case() -> None:
    assert chosen(CASES, pattern="ORDER") == ["order status", "order cancel"]


def test_a_pattern_with_a_wildcard_is_the_whole_name() -> None:
    assert chosen(CASES, pattern="*status") == ["order status"]


def test_conditions_add_up_and_tags_are_alternatives() -> None:
    assert chosen(CASES, tags=("slow", "orders")) == ["order status", "order cancel"]
    assert chosen(CASES, tags=("slow", "orders"), pattern="cancel") == ["order cancel"]
    assert chosen(CASES, limit=2) == ["order status", "order cancel"]


def test_cases_by_name_keep_the_order_of_the_file() -> None:
    assert chosen(CASES, cases=("refund", "order status")) == ["order status", "refund"]


def test_an_unknown_name_or_tag_is_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigError) as told:
        chosen(CASES, cases=("refnd",))
    assert told.value.hint == "did you mean 'refund'?"
    with pytest.raises(ConfigError, match="no tag 'fast'"):
        chosen(CASES, tags=("fast",))


def test_e11_nothing_to_run_is_an_error_of_the_user() -> None:
    for cases, conditions in ([], {}), (CASES, {"pattern": "zzz"}):
        with pytest.raises(ConfigError, match="nothing to run") as told:
            chosen(cases, **conditions)
        assert told.value.exit_code == 2


def test_each_round_tries_every_case_in_every_variant() -> None:
    cases = plan_cases([case("a"), case("b", repeat=3)], Selection())
    plan = Plan(cases, variants=("x", "y"), repeat=2)
    keys = [(trial.case.name, trial.variant, trial.repeat) for trial in plan]
    first, second = [(n, v, 1) for n in "ab" for v in "xy"], [(n, v, 2) for n in "ab" for v in "xy"]
    assert keys == [*first, *second, ("b", "x", 3), ("b", "y", 3)]
    assert plan.size == len(keys)


def test_what_is_done_is_not_planned_again() -> None:
    cases = plan_cases([case("a"), case("b")], Selection())
    plan = Plan(cases, done={TrialKey("a", "", 1)})
    assert [trial.case.name for trial in plan] == ["b"]
    assert plan.size == 2


def test_an_empty_pattern_selects_nothing() -> None:
    with pytest.raises(ConfigError, match="the pattern is empty"):
        plan_cases([CaseConfig(name="a", input="q")], Selection(""))


def test_cases_are_put_together_when_they_are_asked_for() -> None:
    asked: list[int] = []

    def place_of(index: int) -> CasePlace:
        asked.append(index)
        return CasePlace("cases.jsonl", index + 1)

    cases = plan_cases([case("a"), case("b"), case("c")], Selection(pattern="[bc]*", limit=2), place_of=place_of)
    assert not asked
    last = cases[-1]
    assert (last.name, last.index, last.place.line) == ("c", 2, 3)
    assert [planned.name for planned in cases[1:]] == ["c"]
    assert asked == [2, 2]
