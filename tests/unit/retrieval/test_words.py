from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.retrieval.base import WordCounts
from seatrial.retrieval.search import blend
from seatrial.retrieval.words import coverage, query_words, word_weights

_SHARE = st.floats(0, 1)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What is the price of A-17?", ["price", "a-17"]),
        ("¿Qué? Crème, CRÈME!", ["que", "creme"]),
        ("to be or not to be", ["not"]),
        ("is it", ["is", "it"]),
        ("? ! -- ", []),
        ("max_tokens (v1.2)", ["max_tokens", "v1.2"]),
    ],
)
def test_a_question_gives_the_words_worth_looking_for(query: str, words: list[str]) -> None:
    assert query_words(query) == words


def test_rare_words_weigh_more_and_a_rare_code_most() -> None:
    weights = word_weights(WordCounts({"common": 500, "rare": 2, "x-17": 2, "n-1": 500, "unseen": 0}, 1000))
    assert weights["common"] < weights["rare"] < weights["unseen"] < weights["x-17"]
    assert weights["n-1"] == weights["common"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The blue mug A-17.", 1.0),
        ("a BLUE mug", 0.5),
        ("blues and A-171", 0.0),
        ("A 17", 0.5),
        ("", 0.0),
    ],
)
def test_coverage_counts_whole_words_and_phrases(text: str, expected: float) -> None:
    assert coverage(text, {"blue": 1.0, "a-17": 1.0}) == expected
    assert coverage(text, {}) == 0.0


@given(st.text(), st.dictionaries(st.text(min_size=1), st.floats(0.001, 100), max_size=5))
def test_coverage_is_a_share(text: str, weights: dict[str, float]) -> None:
    assert 0.0 <= coverage(text, weights) <= 1.0 + 1e-9


@given(_SHARE, _SHARE, _SHARE)
def test_the_blend_is_a_score_that_grows_with_both(cosine: float, share: float, more: float) -> None:
    score = blend(cosine, share)
    assert cosine <= score + 1e-12 <= 1.0 + 1e-9
    assert blend(cosine, max(share, more)) >= score - 1e-12
    assert blend(max(cosine, more), share) >= score - 1e-12
    assert blend(cosine, 0.0) == pytest.approx(cosine)
