from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.retrieval.fusion import FusionWeights, fused

_SCORES = st.dictionaries(st.integers(0, 20), st.floats(0, 1), max_size=12)


def test_the_first_of_both_rankings_scores_1_and_what_is_in_neither_is_missing() -> None:
    scores = fused({1: 0.9, 2: 0.5, 3: 0.0}, {1: 0.8, 2: 0.0, 3: 0.0}, FusionWeights(dense=0.8, k=10))
    assert scores == {1: pytest.approx(1.0), 2: pytest.approx(0.8 * 11 / 12)}


def test_weights_say_which_ranking_leads() -> None:
    cosines, shares = {1: 0.9, 2: 0.1}, {2: 0.9, 1: 0.1}
    for dense, best in ((0.8, 1), (0.2, 2)):
        scores = fused(cosines, shares, FusionWeights(dense=dense))
        assert max(scores, key=lambda one: scores[one]) == best


def test_equals_have_equal_ranks_also_when_a_store_rounds_otherwise() -> None:
    scores = fused({1: 0.7, 2: 0.7000004, 3: 0.2}, {}, FusionWeights(dense=1.0, k=1))
    assert scores == {1: 1.0, 2: 1.0, 3: pytest.approx(0.5)}


@given(_SCORES, _SCORES, st.floats(0, 1), st.integers(1, 100))
def test_scores_are_from_0_to_1_and_do_not_depend_on_the_order(
    cosines: dict[int, float], shares: dict[int, float], dense: float, k: int
) -> None:
    weights = FusionWeights(dense, k)
    scores = fused(cosines, shares, weights)
    assert all(0.0 <= score <= 1.0 + 1e-9 for score in scores.values())
    assert scores == fused(dict(reversed(cosines.items())), dict(reversed(shares.items())), weights)
