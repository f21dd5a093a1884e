"""Expected tools are a multiset matched by best assignment."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.trials import trial_of

from seatrial.errors import MetricError
from seatrial.metrics import catalog
from seatrial.metrics.base import Measurement, Score
from seatrial.metrics.grading import GradedMetric
from seatrial.metrics.trajectory.expected_tools import ExpectedTools


async def verdict(trial: Any, **options: Any) -> Score:
    graded = GradedMetric(ExpectedTools(**options), catalog.info("expected_tools"), threshold=1.0)
    return await graded.grade(trial)


@pytest.mark.parametrize(
    ("expected", "called", "order", "outcome", "value"),
    [
        ([], [], "any", "passed", 1.0),
        ([], ["x"], "any", "failed", 0.0),
        (["a"], ["a", "x"], "any", "passed", 1.0),
        (["a"], [], "any", "failed", 0.0),
        (["a", "b"], ["b", "a"], "any", "passed", 1.0),
        (["a", "a"], ["a", "a"], "any", "passed", 1.0),
        (["a", "a"], ["a"], "any", "failed", 0.5),
        (["a", "b"], ["b", "a"], "in_order", "failed", 0.5),
        (["a", "b"], ["a", "x", "b"], "in_order", "passed", 1.0),
        (["a", "b"], ["a", "b"], "exact", "passed", 1.0),
        (["a", "b"], ["a", "x", "b"], "exact", "failed", 2 / 3),
        (["a", "b"], ["a"], "subset", "passed", 1.0),
        (["a", "b"], [], "subset", "passed", 1.0),
        (["a", "b"], ["a", "x"], "subset", "failed", 0.5),
        (["a", "b"], ["x", "b", "a"], "superset", "passed", 1.0),
    ],
)
async def test_p015_each_expected_call_needs_a_call_of_its_own(
    expected: list[str], called: list[str], order: str, outcome: str, value: float
) -> None:
    score = await verdict(trial_of(called), expected=expected, order=order)
    assert (score.outcome, score.value) == (outcome, pytest.approx(value))


async def test_p021_tool_names_match_exactly_never_in_part() -> None:
    score = await verdict(trial_of(["search_orders"]), expected=["search"])
    assert score.outcome == "failed"
    assert score.reason == "search: not called\nalso called: search_orders()"


async def test_p015_a_greedy_choice_is_undone_when_another_pairing_serves_more() -> None:
    calls = [("pay", {"amount": 5, "to": "bob"}), ("pay", {"amount": 5, "to": "eve"})]
    anyone, bob = {"name": "pay", "args": {"amount": 5}}, {"name": "pay", "args": {"to": "bob"}}
    for expected in ([anyone, bob], [bob, anyone]):
        assert (await verdict(trial_of(calls), expected=expected)).outcome == "passed"


async def test_p015_the_explanation_shows_the_pairing_and_the_nearest_wrong_call() -> None:
    score = await verdict(
        trial_of([("order_status", {"order_id": "11"}), "search"]),
        expected=[{"name": "order_status", "args": {"order_id": {"regex": "47.*"}}}, "search"],
    )
    assert score.reason == ('1 of 2 expected calls made\norder_status, call #1: order_id: "11", expected regex 47.*')
    assert score.details["pairs"] == [{"expected": "search", "call": 2, "called": "search()"}]


async def test_every_argument_that_differs_is_told_of_the_call_that_comes_nearest() -> None:
    expected = [{"name": "price", "args": {"visitor": "child", "visits": 4, "shoes": False}, "extra_args": False}]
    far = ("price", {"visitor": "adult", "visits": 10, "shoes": True})
    near = ("price", {"visitor": "adult", "shoes": False, "day": "Monday"})
    score = await verdict(trial_of([("hours", {}), far, near]), expected=expected)
    assert score.reason == (
        'price, call #2: shoes: true, expected false; visitor: "adult", expected "child"; visits: 10, expected 4\n'
        'also called: hours(), price(visitor="adult", shoes=false, day="Monday")'
    )
    score = await verdict(trial_of([("price", {"visits": 4, "shoes": False}), far]), expected=expected)
    assert score.reason.startswith('price, call #1: visitor: not given, expected "child"\n')
    strict = [{"name": "price", "args": {"visits": 1}, "extra_args": False}]
    score = await verdict(trial_of([("price", {"visits": 1, "day": "Monday"})]), expected=strict)
    assert score.reason == 'price, call #1: day: "Monday", expected not to be given'


@pytest.mark.parametrize(
    ("expected", "called", "reason"),
    [
        (["a"], ["a"], "1 of 1 expected calls made"),
        ([{"name": "a", "args": {"x": 1}}], [], "a(x: 1): not called"),
        (["a", "a"], ["a"], "1 of 2 expected calls made\na: no further call"),
        ([], ["x"], "no call expected\nnot allowed: x()"),
        ([], [], "no call expected"),
    ],
)
async def test_the_reason_is_in_words_and_compares_no_numbers(
    expected: list[Any], called: list[str], reason: str
) -> None:
    assert (await verdict(trial_of(called), expected=expected)).reason == reason


async def test_a_score_that_need_not_be_full_is_shown_against_its_threshold() -> None:
    metric = GradedMetric(ExpectedTools(expected=["a", "b"], score="f1"), catalog.info("tool_f1"), threshold=0.8)
    assert (await metric.grade(trial_of(["a"]))).reason.startswith("0.6667 < 0.8: 1 of 2 expected calls made")


@pytest.mark.parametrize(
    ("plain", "value", "is_match"),
    [
        (5, 5.0, True),
        (1, True, False),
        ("Zürich", "Zu\u0308rich", True),
        ("a", "A", False),
        ({"regex": r"\d{4}"}, 4711, True),
        ({"regex": r"\d{4}"}, "47110", False),
        ({"fuzzy": "Main Street"}, "main  street", True),
        ({"fuzzy": "12 %"}, 0.12, True),
        ({"fuzzy": "1,000"}, 1000, True),
        ({"fuzzy": "Bangkok"}, "Bangkock", False),
        ({"fuzzy": "Bangkok", "similarity": 0.8}, "Bangkock", True),
        ({"any": True}, None, True),
        ({"schema": {"type": "integer", "minimum": 3}}, 3, True),
        ({"schema": {"type": "integer", "minimum": 3}}, 2, False),
        ({"subset": {"a": [1]}}, {"a": [0, 1], "b": 2}, True),
        ({"subset": {"a": [3]}}, {"a": [0, 1], "b": 2}, False),
        ({"literal": {"regex": "x"}}, {"regex": "x"}, True),
        ({"regex": "x", "flags": "i"}, {"regex": "x", "flags": "i"}, True),
    ],
)
async def test_arguments_are_compared_by_the_matcher_that_is_asked_for(
    plain: object, value: object, is_match: bool
) -> None:
    score = await verdict(trial_of([("t", {"x": value})]), expected=[{"name": "t", "args": {"x": plain}}])
    assert score.outcome == ("passed" if is_match else "failed")


async def test_an_argument_that_is_not_there_matches_nothing_but_its_default() -> None:
    call = trial_of([("t", {})])
    assert (await verdict(call, expected=[{"name": "t", "args": {"x": {"any": True}}}])).outcome == "failed"
    assert (await verdict(call, expected=[{"name": "t", "args": {"x": 1}, "defaults": {"x": 1}}])).outcome == "passed"


async def test_extra_arguments_can_be_ruled_out_and_excused_by_glob() -> None:
    strict = {"name": "t", "args": {"x": 1}, "extra_args": False}
    call = trial_of([("t", {"x": 1, "trace_id": "9"})])
    assert (await verdict(call, expected=[strict])).outcome == "failed"
    assert (await verdict(call, expected=[{**strict, "ignore_args": ["trace_*"]}])).outcome == "passed"


async def test_a_forbidden_call_fails_whatever_else_is_right() -> None:
    score = await verdict(trial_of(["a", ("refund", {"amount": 900})]), expected=["a"], forbidden=["refund"])
    assert (score.outcome, score.value) == ("failed", 0.0)
    assert score.reason == "forbidden: #2 refund(amount=900)"


async def test_a_forbidden_call_may_be_told_by_its_arguments() -> None:
    big = {"name": "refund", "args": {"amount": {"schema": {"exclusiveMinimum": 100}}}}
    assert (await verdict(trial_of([("refund", {"amount": 90})]), forbidden=[big])).outcome == "passed"
    assert (await verdict(trial_of([("refund", {"amount": 900})]), forbidden=[big])).outcome == "failed"


async def test_numbers_of_calls_are_limited() -> None:
    assert (await verdict(trial_of(["a", "a"]), expected=["a"], max_calls=1)).outcome == "failed"
    assert (await verdict(trial_of(["a"]), expected=["a"], min_calls=2)).outcome == "failed"
    assert (await verdict(trial_of(["a", "a"]), expected=[{"name": "a", "max_count": 1}])).outcome == "failed"
    assert (await verdict(trial_of(["a", "a"]), expected=[{"name": "a", "count": 2}])).outcome == "passed"
    assert (await verdict(trial_of(["a"]), expected=[{"name": "a", "count": 0}])).outcome == "failed"
    assert (await verdict(trial_of(["b"]), expected=[{"name": "a", "count": 0}])).outcome == "passed"
    assert (await verdict(trial_of(["a"]), expected=[{"name": "a", "max_count": 0}])).outcome == "failed"
    assert (await verdict(trial_of(["b"]), expected=[{"name": "a", "max_count": 0}])).outcome == "passed"


async def test_calls_can_be_asked_for_in_one_turn() -> None:
    assert (await verdict(trial_of(["a"], ["b"]), expected=["a", "b"], in_one_turn=True)).outcome == "failed"
    assert (await verdict(trial_of(["x"], ["b", "a"]), expected=["a", "b"], in_one_turn=True)).outcome == "passed"


async def test_failed_attempts_can_be_left_out() -> None:
    retried = trial_of(["a"], ["a"], failed=(1,))
    assert (await verdict(retried, expected=["a"], order="exact")).outcome == "failed"
    assert (await verdict(retried, expected=["a"], order="exact", ignore_failed=True)).outcome == "passed"


async def test_h013_a_server_name_stands_for_its_tools() -> None:
    aliases = {"files": frozenset({"files_read", "files_write"})}
    assert (await verdict(trial_of(["files_read"]), expected=["files"], aliases=aliases)).outcome == "passed"
    assert (await verdict(trial_of(["files_list"]), expected=["files"], aliases=aliases)).outcome == "failed"


async def test_p021_without_any_rule_nothing_passes() -> None:
    assert (await verdict(trial_of(["a"]))).outcome == "skipped"


async def test_f1_counts_missing_and_superfluous_calls_alike() -> None:
    metric = catalog.build("tool_f1", expected=["a", "b"])
    assert (await metric.measure(trial_of(["a", "x", "y"]))).value == pytest.approx(2 / 5)
    ordered = catalog.build("tool_f1", expected=["a", "b", "c"], order="in_order")
    assert (await ordered.measure(trial_of(["c", "a", "b"]))).value == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    "options",
    [
        {"expected": ["a"], "order": "anyhow"},
        {"expected": [{"nmae": "a"}]},
        {"expected": [{"name": "a", "count": "2"}]},
        {"expected": [{"name": "a", "count": 2, "max_count": 1}]},
        {"expected": [{"name": "a", "args": {"x": {"regex": "("}}}]},
        {"expected": [{"name": "a", "args": {"x": {"regx": "a.*"}}, "count": 0}]},
        {"expected": [{"name": "a", "args": {"x": {"fuzzy": "a", "similarty": 0.9}}}]},
        {"expected": ["a"], "score": "best"},
    ],
)
def test_what_cannot_be_meant_is_refused_at_once(options: dict[str, Any]) -> None:
    with pytest.raises(MetricError):
        ExpectedTools(**options)


CALLS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 2)), max_size=6)
ENTRIES = st.lists(st.tuples(st.sampled_from("ab"), st.none() | st.integers(0, 2)), max_size=5)


@given(entries=ENTRIES, calls=CALLS, data=st.data())
async def test_p015_the_result_does_not_depend_on_the_order_of_the_list(
    entries: list[tuple[str, int | None]], calls: list[tuple[str, int]], data: st.DataObject
) -> None:
    expected: list[Any] = [name if x is None else {"name": name, "args": {"x": x}} for name, x in entries]
    shuffled = data.draw(st.permutations(expected))
    trial = trial_of([(name, {"x": x}) for name, x in calls])
    first = await ExpectedTools(expected=expected).measure(trial)
    second = await ExpectedTools(expected=shuffled).measure(trial)
    assert first == second
    assert_is_best(first, entries, calls)


def assert_is_best(found: Measurement, entries: list[tuple[str, int | None]], calls: list[tuple[str, int]]) -> None:
    most = most_pairs(tuple(entries), tuple(calls))
    if entries:
        assert found.value == pytest.approx(most / len(entries))


def most_pairs(entries: tuple[tuple[str, int | None], ...], calls: tuple[tuple[str, int], ...]) -> int:
    """The largest pairing, by trying them all."""
    if not entries:
        return 0
    (name, x), rest = entries[0], entries[1:]
    best = most_pairs(rest, calls)
    for place, call in enumerate(calls):
        if call[0] == name and x in (None, call[1]):
            best = max(best, 1 + most_pairs(rest, calls[:place] + calls[place + 1 :]))
    return best


async def test_a_failed_call_counts_as_made_and_the_reason_says_that_it_failed() -> None:
    score = await verdict(trial_of(["pay"], failed=(1,)), expected=["pay"])
    assert (score.outcome, score.reason) == (
        "passed",
        "1 of 1 expected calls made\nended in an error: #1 pay() [failed]",
    )


async def test_an_expected_call_that_must_be_ok_is_served_by_one_without_an_error_only() -> None:
    entry = {"name": "pay", "ok": True}
    failed = await verdict(trial_of(["pay"], failed=(1,)), expected=[entry])
    assert (failed.outcome, failed.reason) == ("failed", "pay, call #1: it ended in an error")
    assert (await verdict(trial_of(["pay", "pay"], failed=(1,)), expected=[entry])).outcome == "passed"


async def test_a_call_that_succeeded_serves_before_one_that_failed() -> None:
    score = await verdict(trial_of(["pay", "pay"], failed=(1,)), expected=["pay"])
    assert "ended in an error" not in score.reason.partition("\n")[0]
    assert score.details["pairs"][0]["call"] == 2
