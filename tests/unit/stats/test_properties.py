"""What holds of every interval and test, whatever the numbers."""

from __future__ import annotations

import math
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.stats.agreement import cohen_kappa, krippendorff_alpha
from seatrial.stats.intervals import (
    Interval,
    bootstrap_interval,
    clustered_interval,
    clustered_standard_error,
    mean_interval,
    standard_error,
    t_interval,
    wilson,
)
from seatrial.stats.paired import holm, mcnemar_exact, paired_t, sign_flip
from seatrial.stats.power import smallest_detectable_mean_difference, smallest_detectable_rate_difference
from seatrial.stats.repeats import is_flaky, pass_at_k, pass_hat_k, reduced

UNIT = st.floats(0, 1)
SCORES = st.lists(UNIT, min_size=2, max_size=30)
DIFFERENCES = st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), max_size=20)
COUNTS = st.integers(0, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
TRIES = st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n)))
P_VALUES = st.lists(UNIT, max_size=10)


@given(counts=COUNTS)
def test_wilson_holds_the_rate_stays_between_0_and_1_and_is_symmetric(counts: tuple[int, int]) -> None:
    successes, n = counts
    low, high = wilson(successes, n)
    assert 0 <= low <= high <= 1
    if n:
        assert low <= successes / n <= high
    mirrored = wilson(n - successes, n)
    assert (low, high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-12)


@given(counts=COUNTS)
def test_more_confidence_means_a_wider_interval(counts: tuple[int, int]) -> None:
    narrow, wide = wilson(*counts, 0.9), wilson(*counts, 0.99)
    assert wide.low <= narrow.low <= narrow.high <= wide.high


@given(values=SCORES)
def test_intervals_of_scores_never_leave_their_scale_and_hold_the_mean(values: list[float]) -> None:
    clusters = [place // 2 for place in range(len(values))]
    for found in (
        t_interval(values, scale=(0, 1)),
        mean_interval(values, scale=(0, 1)),
        clustered_interval(values, clusters, scale=(0, 1)),
        bootstrap_interval(values, resamples=50),
    ):
        assert 0 <= found.low <= found.high <= 1
    for found in (t_interval(values, scale=(0, 1)), mean_interval(values, scale=(0, 1))):
        assert found.low - 1e-12 <= fmean(values) <= found.high + 1e-12


@given(values=st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=40), size=st.integers(1, 4))
def test_clustered_rates_stay_on_their_scale(values: list[float], size: int) -> None:
    clusters = [place // size for place in range(len(values))]
    low, high = clustered_interval(values, clusters, scale=(0, 1))
    assert 0 <= low <= fmean(values) <= high <= 1


def test_a_few_perfect_scores_prove_little() -> None:
    assert mean_interval([1.0] * 5, scale=(0, 1)) == wilson(5, 5)
    assert mean_interval([5.0] * 5, scale=(1, 5)) == pytest.approx((1 + 4 * wilson(5, 5).low, 5.0))


def test_one_value_says_nothing_about_the_mean() -> None:
    assert t_interval([0.5], scale=(0, 1)) == Interval(0, 1)
    assert clustered_interval([0.2, 0.7], ["a", "a"], scale=(0, 1)) == Interval(0, 1)


def test_repeats_of_a_case_that_always_agree_count_once() -> None:
    rates = [1.0] * 6 + [0.0] * 2 + [1.0] * 4
    once = clustered_interval(rates[::2], list("abcdef"), scale=(0, 1))
    twice = clustered_interval(rates, list("aabbccddeeff"), scale=(0, 1))
    assert twice.high - twice.low >= once.high - once.low - 1e-9


@given(values=SCORES)
def test_clusters_of_one_give_the_plain_standard_error(values: list[float]) -> None:
    expected = standard_error(values)
    assert clustered_standard_error(values, range(len(values))) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@given(values=SCORES, seed=st.integers(0, 9))
def test_the_same_seed_gives_the_same_bootstrap(values: list[float], seed: int) -> None:
    first, second = (bootstrap_interval(values, resamples=30, seed=seed) for _ in range(2))
    assert first == second


@given(first=st.integers(0, 300), second=st.integers(0, 300))
def test_mcnemar_is_a_symmetric_probability(first: int, second: int) -> None:
    p = mcnemar_exact(first, second)
    assert 0 < p <= 1
    assert p == mcnemar_exact(second, first)


@given(differences=DIFFERENCES)
def test_paired_tests_are_probabilities_that_do_not_depend_on_the_direction(differences: list[float]) -> None:
    mirrored = [-difference for difference in differences]
    for test in (paired_t, lambda values: sign_flip(values, draws=200)):
        p = test(differences)
        assert 0 <= p <= 1
    assert paired_t(differences) == pytest.approx(paired_t(mirrored))
    if len(differences) <= 12:
        assert sign_flip(differences) == pytest.approx(sign_flip(mirrored))


def test_differences_without_spread_are_no_certainty() -> None:
    assert paired_t([0.1, 0.1]) == 0.5
    assert paired_t([0.0, 0.0, 0.0]) == 1.0
    assert sign_flip([0.1, 0.1]) == 0.5
    assert paired_t([0.3]) == 1.0


def test_permutation_by_drawing_nears_the_exact_value(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = [0.1, 0.4, -0.2, 0.3, 0.5, 0.2, -0.1, 0.6, 0.1, 0.2, -0.3, 0.4, 0.3, 0.2, 0.1, -0.2]
    exact = sign_flip(differences)
    monkeypatch.setattr("seatrial.stats.paired._EXACT_UP_TO", 0)
    assert sign_flip(differences, draws=20_000) == pytest.approx(exact, abs=0.005)


@given(p_values=P_VALUES)
def test_holm_only_raises_p_values_and_keeps_their_order(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, adjusted, strict=True))
    by_p = sorted(zip(p_values, adjusted, strict=True))
    assert [q for _, q in by_p] == sorted(q for _, q in by_p)


def test_holm_as_in_his_paper_multiplies_by_what_is_left() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


@given(tries=TRIES)
def test_pass_at_k_and_pass_hat_k_mirror_each_other(tries: tuple[int, int, int]) -> None:
    n, passed, k = tries
    assert pass_at_k(n, passed, k) == pytest.approx(1 - pass_hat_k(n, n - passed, k))
    assert 0 <= pass_hat_k(n, passed, k) <= pass_at_k(n, passed, k) + 1e-12 <= 1 + 2e-12
    assert pass_at_k(n, passed, 1) == pytest.approx(passed / n)


def test_more_tries_than_there_were_cannot_be_drawn() -> None:
    with pytest.raises(ValueError, match="cannot draw 3 of 2"):
        pass_at_k(2, 1, 3)


RATINGS = st.lists(st.tuples(*[st.integers(1, 5)] * 2), min_size=1, max_size=20)


@given(ratings=RATINGS)
def test_raters_who_agree_on_everything_agree_fully(ratings: list[tuple[int, int]]) -> None:
    first = [a for a, _ in ratings]
    second = [b for _, b in ratings]
    for is_quadratic in (False, True):
        assert cohen_kappa(first, first, is_quadratic=is_quadratic) in (1.0, None)
        kappa = cohen_kappa(first, second, is_quadratic=is_quadratic)
        assert kappa is None or kappa <= 1 + 1e-12
        mirrored = cohen_kappa(second, first, is_quadratic=is_quadratic)
        assert kappa == (None if mirrored is None else pytest.approx(mirrored))


@given(ratings=RATINGS)
def test_alpha_does_not_depend_on_the_order_of_items_or_raters(ratings: list[tuple[int, int]]) -> None:
    alpha = krippendorff_alpha(ratings, "ordinal")
    turned = krippendorff_alpha([(b, a) for a, b in reversed(ratings)], "ordinal")
    assert alpha == (None if turned is None else pytest.approx(turned))


@given(spread=st.floats(0.01, 1), n=st.integers(1, 1000))
def test_more_cases_find_smaller_differences(spread: float, n: int) -> None:
    assert smallest_detectable_mean_difference(spread, 4 * n) == pytest.approx(
        smallest_detectable_mean_difference(spread, n) / 2
    )
    found = smallest_detectable_rate_difference(spread, n)
    assert found >= smallest_detectable_rate_difference(spread, 2 * n)
    assert found <= spread or math.isinf(found)


def test_the_detectable_rate_difference_of_a_small_suite_is_large() -> None:
    assert smallest_detectable_rate_difference(0.2, 100) == pytest.approx(0.12382, abs=1e-5)
    assert math.isinf(smallest_detectable_rate_difference(0.05, 50))


def test_several_tries_are_reduced_to_one_value() -> None:
    tries = [0.0, 1.0, 1.0, 0.5]
    assert [reduced(tries, how) for how in ("mean", "median", "mode", "max", "min")] == [0.625, 0.75, 1.0, 1.0, 0.0]
    assert is_flaky([True, False, True])
    assert not is_flaky([False, False])


@given(st.lists(st.booleans(), min_size=2, max_size=40), st.integers(2, 6))
def test_more_tries_of_cases_that_agree_with_themselves_make_nothing_less_sure(passes: list[bool], tries: int) -> None:
    values = [float(passed) for passed in passes for _ in range(tries)]
    clusters = [case for case in range(len(passes)) for _ in range(tries)]
    found = clustered_interval(values, clusters, scale=(0, 1))
    once = wilson(sum(passes), len(passes))
    assert found.high - found.low <= once.high - once.low + 1e-9


def test_perfect_repeats_are_as_sure_as_one_try_of_each_case() -> None:
    found = clustered_interval([1.0] * 15, [case for case in range(5) for _ in range(3)], scale=(0, 1))
    assert found == pytest.approx(wilson(5, 5))


@given(st.lists(st.sampled_from([-1.0, -2 / 3, -1 / 3, 1 / 3, 2 / 3, 1.0]), min_size=17, max_size=17))
def test_the_permutation_test_of_shares_is_exact_for_any_number_of_cases(differences: list[float]) -> None:
    seen = abs(sum(differences)) - 1e-9
    sums = [0.0]
    for difference in differences:
        sums = [total + signed for total in sums for signed in (difference, -difference)]
    assert sign_flip(differences) == pytest.approx(sum(abs(total) >= seen for total in sums) / len(sums))
