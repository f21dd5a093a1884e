"""Two sides compared: what is told from chance, what is not, and what cannot be compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.sides import F1, case, outcomes, scores, side
from tests.support.stored_trials import NOON, trial

from seatrial.core.usage import UsageTotal
from seatrial.errors import RunError
from seatrial.metrics.base import Score
from seatrial.runs.compare import Comparison, compare
from seatrial.runs.gate import exit_code, reasons_to_fail
from seatrial.runs.records import RunRecord, Selection, TrialError, VariantRecord
from seatrial.runs.sides import CaseSide, MetricFacts, side_of_run
from seatrial.runs.store import RunStore
from seatrial.stats.intervals import paired_rate_interval
from seatrial.stats.paired import mcnemar_exact


def test_cases_that_pass_no_more_are_worse_once_chance_is_an_unlikely_reason() -> None:
    found = compare(outcomes("a", "+" * 20), outcomes("b", "------" + "+" * 14))
    assert found.verdict == "worse"
    assert found.rate.found.p == pytest.approx(0.03125)
    assert found.rate.found.test == "McNemar"
    assert [each.case for each in found.worse] == [f"case {number}" for number in range(6)]
    assert compare(outcomes("b", "------++"), outcomes("a", "++++++++")).verdict == "better"


def test_a_few_changed_cases_are_named_and_are_no_evidence() -> None:
    found = compare(outcomes("a", "++++++++"), outcomes("b", "---+++++"))
    assert found.verdict == "no evidence"
    assert len(found.worse) == 3
    assert found.rate.found.p == pytest.approx(0.25)


def test_what_could_have_been_found_is_told() -> None:
    found = compare(outcomes("a", "+" * 90 + "-" * 10), outcomes("b", "-" * 5 + "+" * 95)).rate.found
    assert found.smallest_detectable is not None
    assert 0.08 < found.smallest_detectable < 0.15
    same = compare(outcomes("a", "++++"), outcomes("b", "++++")).rate.found
    assert (same.smallest_detectable, same.p) == (None, 1.0)
    assert same.interval_95 is not None
    assert same.interval_95.low < -0.2  # four cases prove little, though none of them changed


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_for_single_tries_the_two_tests_are_one(pairs: list[tuple[bool, bool]]) -> None:
    one = side("a", [case(str(n), int(before)) for n, (before, _) in enumerate(pairs)])
    other = side("b", [case(str(n), int(after)) for n, (_, after) in enumerate(pairs)])
    rate = compare(one, other).rate
    p = mcnemar_exact(sum(a > b for a, b in pairs), sum(b > a for a, b in pairs))
    assert rate.found.p == pytest.approx(p)
    doubled = [side(each.name, [case(c.case, c.passed * 2, 2) for c in each.cases.values()]) for each in (one, other)]
    if sum(a != b for a, b in pairs) <= 16:  # up to that number the permutation test is exact
        assert compare(*doubled).rate.found.p == pytest.approx(p)


def test_several_tries_of_a_case_are_one_case() -> None:
    before = side("a", [case(str(n), 3, 3) for n in range(5)])
    after = side("b", [case(str(n), 0, 3) for n in range(5)])
    found = compare(before, after)
    assert found.rate.found.p == pytest.approx(2 / 32)
    assert found.verdict == "no evidence"
    assert [each.p for each in found.cases] == [pytest.approx(0.1)] * 5
    assert len(found.worse) == 5


def test_a_case_that_still_passes_often_enough_is_not_worse() -> None:
    found = compare(side("a", [case("x", 3, 3, require=2)]), side("b", [case("x", 2, 3, require=2)]))
    assert found.worse == []
    assert found.cases[0].after.is_flaky


def test_scores_are_compared_by_case_and_in_their_direction() -> None:
    before = [0.5 + (n % 7) / 100 for n in range(40)]
    after = [value - 0.05 + (n % 3) / 100 for n, value in enumerate(before)]
    metric = compare(scores("a", before), scores("b", after)).metrics[0]
    assert (metric.found.verdict, metric.found.test) == ("worse", "paired t")
    assert metric.found.difference == pytest.approx(-0.04, abs=0.002)
    lower = {"f1": MetricFacts(is_lower_better=True, scale=(0.0, None))}
    assert compare(scores("a", before, metrics=lower), scores("b", after, metrics=lower)).verdict == "better"


def test_a_small_number_of_scores_is_tested_by_permutation() -> None:
    found = compare(scores("a", [0.5] * 6), scores("b", [0.4, 0.3, 0.2, 0.4, 0.3, 0.2])).metrics[0].found
    assert (found.test, found.p) == ("permutation", pytest.approx(2 / 64))


def test_the_pass_rate_leads_and_many_metrics_are_corrected_for_their_number() -> None:
    names = [f"m{number}" for number in range(6)]
    facts = {name: MetricFacts(scale=(0.0, 1.0)) for name in names}

    def of(value: float) -> list[CaseSide]:
        return [case(str(n), scores={**dict.fromkeys(names, 0.5), "m0": 0.5 + value}) for n in range(6)]

    found = compare(side("a", of(0.1), facts), side("b", of(0.0), facts))
    first = found.metrics[0].found
    assert (first.p, first.p_adjusted) == (pytest.approx(2 / 64), pytest.approx(6 * 2 / 64))
    assert found.verdict == "no evidence"


def test_variants_of_a_case_are_no_further_cases() -> None:
    def of(passed: bool) -> list[CaseSide]:
        return [case(str(n), int(passed), variant=variant) for n in range(3) for variant in ("x", "y")]

    found = compare(side("a", of(True), variants=("x", "y")), side("b", of(False), variants=("x", "y")))
    assert found.rate.found.n == 3
    assert len(found.worse) == 6


def test_the_agent_itself_is_found_among_variants_and_strangers_are_refused() -> None:
    one = side("a", [case("x")])
    several = side("b", [case("x", variant="base"), case("x", variant="kind")], variants=("base", "kind"))
    assert compare(one, several).rate.found.n == 1
    assert compare(several, one).rate.found.n == 1
    renamed = side("c", [case("x", variant="gpt")], variants=("gpt",))
    assert compare(one, renamed).rate.found.n == 1
    with pytest.raises(RunError, match="no variant in common"):
        compare(side("d", [], variants=("p", "q")), several)


def test_cases_that_cannot_be_compared_are_named_by_their_reason() -> None:
    before = side(
        "a",
        [case("both"), case("gone"), case("edited", input_id="1"), case("unchecked"), case("down"), case("new", 0, 0)],
    )
    after = side(
        "b",
        [
            case("both"),
            case("added"),
            case("edited", input_id="2"),
            case("unchecked", 0, 0),
            case("down", 0, 0, unjudged=1),
            case("new"),
        ],
    )
    found = compare(before, after)
    assert found.rate.found.n == 1
    assert (found.only_before, found.only_after) == (["gone"], ["added"])
    assert (found.other_input, found.lost, found.spoiled, found.gained) == (
        ["edited"],
        ["unchecked"],
        ["down"],
        ["new"],
    )
    assert exit_code(found, None) == 0
    assert exit_code(found, "worse") == 3
    assert exit_code(found, "any-regression") == 1


def test_nothing_in_common_is_an_error_that_says_why() -> None:
    with pytest.raises(RunError, match="no case in common") as caught:
        compare(side("a", [case("x", input_id="1")]), side("b", [case("x", input_id="2")]))
    assert "ask something else" in str(caught.value.hint)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("after", "fail_on", "code"),
    [
        (outcomes("b", "++++++++"), "any-regression", 0),
        (outcomes("b", "-+++++++"), "worse", 0),
        (outcomes("b", "-+++++++"), "any-regression", 1),
        (outcomes("b", "------++"), "worse", 1),
        (outcomes("b", "++++++++", missing=2), "worse", 1),
        (outcomes("b", "+++++++ "), "any-regression", 1),
        (outcomes("b", "+++++++ "), "worse", 0),
        (outcomes("b", "+++++++ ", is_part=True), "any-regression", 0),
        (outcomes("b", "+++++++++"), "any-regression", 0),
    ],
)
def test_the_gate(after: Comparison, fail_on: str, code: int) -> None:
    found = compare(outcomes("a", "++++++++"), after)  # type: ignore[arg-type]
    assert exit_code(found, fail_on) == code  # type: ignore[arg-type]
    assert bool(reasons_to_fail(found, fail_on)) is (code == 1)  # type: ignore[arg-type]


def test_a_metric_that_is_measured_nowhere_any_more_is_no_silent_pass() -> None:
    found = compare(scores("a", [0.6, 0.7]), side("b", [case("case 0"), case("case 1")], F1))
    assert found.metrics_lost == ["f1"]
    assert exit_code(found, "any-regression") == 1


@pytest.mark.parametrize(
    ("now", "facts", "told"),
    [
        ({"input_id": "2"}, F1, "asking something else now: case 0"),
        ({"scores": {}}, F1, "f1 is not measured in case 0"),
        ({"thresholds": {"f1": 0.2}}, F1, "the threshold of f1 is 0.2 now, 0.5 before"),
        ({"thresholds": {"f1": None}}, F1, "f1 has no threshold now, 0.5 before"),
        ({}, {"f1": MetricFacts(0.4)}, "the threshold of f1 is 0.4 now, 0.5 before"),
        ({}, {"f1": MetricFacts(None)}, "f1 has no threshold now, 0.5 before"),
        ({"passed": 3, "checked": 3, "require": 2}, F1, "case 0 passes with 2 of 3 tries now, 1 of 1 try before"),
        ({"demands": ("f1:9",)}, F1, "f1 looks for something else in case 0"),
        ({"demands": ("contains:2", "contains:3", "f1:1")}, F1, "contains looks for something else in case 0"),
        ({"demands": ("contains:1", "f1:1")}, F1, "contains looks for something else in case 0"),
        ({"demands": ("contains:1", "contains:2", "f1:1", "ground_truth:8")}, F1, "the ground_truth of case 0 is"),
        ({"demands": ()}, F1, None),
        ({"demands": ("contains:1", "contains:2", "f1:1", "rouge:4", "ground_truth:7")}, F1, None),
        ({"thresholds": {"f1": 0.6}}, F1, None),
        ({}, {"f1": MetricFacts(0.6)}, None),
    ],
)
def test_what_asks_for_less_than_before_is_a_regression(
    now: dict[str, Any], facts: dict[str, MetricFacts], told: str | None
) -> None:
    demands = ("contains:1", "contains:2", "f1:1", "ground_truth:7")
    known = {"scores": {"f1": 0.9}, "input_id": "1", "demands": demands}
    before = side("a", [case(f"case {n}", **known) for n in range(3)], {"f1": MetricFacts(0.5)})
    changed = {"passed": 1, **known, **now}
    after = side("b", [case("case 0", **changed), *(case(f"case {n}", **known) for n in (1, 2))], facts)
    reasons = reasons_to_fail(compare(before, after), "any-regression")
    assert bool(reasons) is (told is not None)
    assert told is None or told in reasons[0]
    assert reasons_to_fail(compare(before, after), "worse") == []


@pytest.mark.parametrize(("tries", "require"), [(2, 2), (1, 1), (1, None)])
def test_fewer_tries_that_must_pass_are_less(tries: int, require: int | None) -> None:
    before = side("a", [case("x", 5, 5, require=4)])
    after = side("b", [case("x", tries, tries, require=require)])
    assert "4 of 5 tries before" in reasons_to_fail(compare(before, after), "any-regression")[0]


def test_metrics_of_cases_that_were_not_asked_for_are_not_missed() -> None:
    before = side("a", [case("x"), case("y", scores={"f1": 0.9})])
    after = side("b", [case("x")], is_part=True)
    assert reasons_to_fail(compare(before, after), "any-regression") == []


def test_a_higher_limit_is_less_where_lower_is_better() -> None:
    before = side("a", [case("x", scores={"ter": 10.0})], {"ter": MetricFacts(20.0, is_lower_better=True)})
    after = side("b", [case("x", scores={"ter": 10.0})], {"ter": MetricFacts(30.0, is_lower_better=True)})
    assert "30 now, 20 before" in reasons_to_fail(compare(before, after), "any-regression")[0]
    assert reasons_to_fail(compare(after, before), "any-regression") == []


def test_a_metric_without_a_score_in_some_cases_says_in_how_many() -> None:
    after = side("b", [case("case 0", scores={"f1": 0.6}), case("case 1")], F1)
    (metric,) = compare(scores("a", [0.6, 0.7]), after).metrics
    assert (metric.found.n, metric.unpaired) == (1, 1)


def test_no_difference_is_its_own_mirror() -> None:
    one, other = outcomes("a", "++--++-+"), outcomes("b", "+-+-+--+")
    there, back = compare(one, other), compare(other, one)
    assert there.rate.found.p == back.rate.found.p
    assert there.rate.found.difference == -back.rate.found.difference
    assert [each.case for each in there.worse] == [each.case for each in back.better]


@pytest.fixture
def stored(store: RunStore) -> Callable[..., RunRecord]:
    def make(name: str, trials: list[object], **changes: object) -> RunRecord:
        run = RunRecord(
            id=name,
            agent="shop",
            agent_file="agent.yaml",
            started_at=NOON,
            planned=len(trials),
            variants=(VariantRecord("", "openai", "gpt-x"),),
            selection=Selection(),
        )
        store.begin_run(run)
        store.add_trials(name, trials)  # type: ignore[arg-type]
        return run

    return make


def test_a_run_becomes_a_side_with_what_each_case_took(store: RunStore, stored: Callable[..., RunRecord]) -> None:
    run = stored(
        "r1",
        [
            trial(0, scores=(Score("f1", "passed", 0.8, 0.5, scale=(0.0, 1.0)),), cost_usd=0.02),
            trial(0, "failed", repeat=2, scores=(Score("f1", "failed", 0.2, 0.5),), cost_usd=0.04),
            trial(1, "errored", error=TrialError("provider", "down")),
            trial(2, "errored", error=TrialError("empty_answer", "nothing")),
            trial(3, "unchecked"),
            trial(4, "not_run", reason="skipped: later"),
            trial(5, "not_run", reason="not run: max_time"),
        ],
    )
    found = side_of_run(store, run)
    first = found.cases["case 0", ""]
    assert (first.passed, first.checked, first.has_passed, first.is_flaky) == (1, 2, False, True)
    assert first.scores == {"f1": 0.5}
    assert (first.means.tokens, first.means.cost_usd) == (14.0, pytest.approx(0.03))
    assert [each.has_passed for each in found.cases.values()] == [False, None, False, None, None, None]
    assert found.missing == 1
    assert found.metrics["f1"] == MetricFacts(0.5, scale=(0.0, 1.0))


def test_tokens_that_nobody_counted_are_unknown_and_no_saving(
    store: RunStore, stored: Callable[..., RunRecord]
) -> None:
    uncounted = UsageTotal(requests=1, unknown_requests=1)
    before = side_of_run(store, stored("r1", [trial(0), trial(1)]))
    after = side_of_run(store, stored("r2", [trial(0, usage=uncounted), trial(1, usage=uncounted)]))
    assert (before.means.tokens, after.means.tokens, after.cases["case 0", ""].means.tokens) == (14.0, None, None)
    assert [each.what for each in compare(before, after).taken] == ["duration_s"]


@given(*[st.integers(0, 30)] * 4)
def test_the_interval_of_two_rates_holds_their_difference_and_turns_with_the_sides(
    both: int, first: int, second: int, neither: int
) -> None:
    low, high = paired_rate_interval(both, first, second, neither)
    n = both + first + second + neither
    assert -1 <= low <= high <= 1
    if n:
        assert low - 1e-9 <= (second - first) / n <= high + 1e-9
        assert paired_rate_interval(both, second, first, neither) == pytest.approx((-high, -low))
