from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from seatrial.retrieval.base import Hit
from seatrial.retrieval.fusion import fuse

_HITS = st.lists(st.integers(1, 30), unique=True, max_size=15).flatmap(
    lambda ids: st.lists(st.floats(0, 1), min_size=len(ids), max_size=len(ids)).map(
        lambda scores: [Hit(chunk_id, score) for chunk_id, score in zip(ids, sorted(scores, reverse=True), strict=True)]
    )
)


def ids(hits: list[Hit]) -> list[int]:
    return [hit.chunk_id for hit in hits]


def test_the_heavier_ranking_leads_and_agreement_lifts() -> None:
    dense = [Hit(1, 0.9), Hit(2, 0.8), Hit(3, 0.7)]
    keyword = [Hit(3, 1.0), Hit(9, 0.5)]
    assert ids(fuse([(dense, 0.8), (keyword, 0.2)])) == [3, 1, 2, 9]


def test_a_hit_keeps_its_best_score() -> None:
    assert fuse([([Hit(1, 0.2)], 0.8), ([Hit(1, 0.6)], 0.2)]) == [Hit(1, 0.6)]


@given(_HITS)
def test_one_ranking_alone_stays_as_it_is(hits: list[Hit]) -> None:
    assert fuse([(hits, 0.8), ([], 0.2)]) == hits


@given(_HITS, _HITS)
def test_every_hit_comes_out_once_with_a_score_between_0_and_1(first: list[Hit], second: list[Hit]) -> None:
    fused = fuse([(first, 0.8), (second, 0.2)])
    assert sorted(ids(fused)) == sorted({*ids(first), *ids(second)})
    assert all(0 <= hit.score <= 1 for hit in fused)


@given(_HITS, _HITS)
def test_a_hit_that_is_higher_in_both_rankings_stays_higher(first: list[Hit], second: list[Hit]) -> None:
    order = ids(fuse([(first, 0.8), (second, 0.2)]))
    places = [{chunk_id: rank for rank, chunk_id in enumerate(ids(hits))} for hits in (first, second)]
    for one in order:
        for other in order:
            if all(one in place and other in place and place[one] < place[other] for place in places):
                assert order.index(one) < order.index(other)
