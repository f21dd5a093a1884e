"""Rank correlation and the choice of a threshold."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.stats.correlation import spearman
from seatrial.stats.paired import fisher_exact
from seatrial.stats.thresholds import suggest_threshold, verdict_kappa


def test_fisher_s_test_has_its_known_values() -> None:
    assert fisher_exact(3, 4, 1, 4) == pytest.approx(0.4857142857)  # the lady tasting tea
    assert fisher_exact(8, 10, 1, 6) == pytest.approx(0.0349650350)
    assert fisher_exact(0, 3, 3, 3) == pytest.approx(0.1)
    assert fisher_exact(2, 2, 2, 2) == 1.0


def test_spearman_has_its_known_values() -> None:
    found = spearman([1, 2, 3, 4, 5], [5, 6, 7, 8, 7])
    assert found is not None
    assert found.rho == pytest.approx(0.8207826817)
    assert found.p == pytest.approx(0.0885870053, abs=1e-6)
    assert spearman([1, 2, 3, 4], [4, 3, 2, 1]) == (-1.0, 0.0)
    assert spearman([1, 1, 1, 1], [1, 2, 3, 4]) is None
    assert spearman([1, 2, 3], [1, 2, 3]) is None


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=4, max_size=30))
def test_ranks_do_not_care_for_the_units(pairs: list[tuple[int, int]]) -> None:
    plain = spearman([a for a, _ in pairs], [b for _, b in pairs])
    bent = spearman([a**3 for a, _ in pairs], [10.0 * b - 7 for _, b in pairs])
    assert (plain is None) is (bent is None)
    if plain is not None and bent is not None:
        assert -1 <= plain.rho <= 1
        assert plain.rho == pytest.approx(bent.rho)


def test_the_threshold_that_parts_people_s_verdicts_is_found() -> None:
    values = [1, 2, 3, 4, 5] * 8
    found = suggest_threshold(values, [value >= 4 for value in values])
    assert found is not None
    assert (found.threshold, found.kappa, found.chosen_in) == (4, 1.0, 1.0)
    assert found.expected_kappa == pytest.approx(1.0)
    lower = suggest_threshold([-value for value in values], [value >= 4 for value in values], is_lower_better=True)
    assert lower is not None
    assert lower.threshold == -4


def test_noise_is_told_as_noise() -> None:
    draw = random.Random(3)  # noqa: S311 - made-up scores, no secret
    values = [draw.randint(1, 5) for _ in range(60)]
    found = suggest_threshold(values, [draw.random() < 0.5 for _ in values])
    assert found is not None
    assert found.expected_kappa is not None
    assert found.expected_kappa < 0.15
    assert found.interval_95.low < found.interval_95.high


def test_nothing_is_suggested_where_nothing_is_parted() -> None:
    assert suggest_threshold([1, 2, 3], [True] * 3) is None
    assert suggest_threshold([3, 3, 3], [True, False, True]) is None


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30), st.floats(0, 1))
def test_kappa_of_verdicts_is_at_most_full_agreement(items: list[tuple[float, bool]], line: float) -> None:
    kappa = verdict_kappa(items, line)
    assert kappa is None or -1 - 1e-9 <= kappa <= 1 + 1e-9
