"""A question in, the closest passages out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, assert_never

from seatrial.errors import RetrievalError
from seatrial.retrieval.base import Chunk, Embedder, Hit, Reranker, SearchMode, SearchResult, Store, WordCounts
from seatrial.retrieval.fusion import FusionWeights, fused
from seatrial.retrieval.words import coverage, query_words, searchable_values, word_weights

if TYPE_CHECKING:
    from seatrial.retrieval.base import Vectors

_CANDIDATES_PER_RESULT = 5
_FEWEST_CANDIDATES = 50
_WORDS_SHARE = 0.9


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How many results, from which score on, and by which way of searching.

    ``dense`` compares meanings, ``keyword`` words, ``hybrid`` both, ``fusion`` the two rankings with the weights of
    ``fusion``. ``where`` keeps the passages whose metadata has exactly these values.
    """

    top_k: int = 5
    min_score: float | None = None
    mode: SearchMode = "hybrid"
    where: Mapping[str, Any] | None = None
    fusion: FusionWeights = field(default_factory=FusionWeights)


def search(
    store: Store, embedder: Embedder, query: str, settings: SearchSettings, rerank: Reranker | None = None
) -> list[SearchResult]:
    """At most ``top_k`` results, highest score first; none for a blank query. What has nothing in common is left out.

    ``relevance_score`` is, whichever store is behind it: in mode ``dense`` the cosine between question and passage, 0
    when it is negative; in mode ``keyword`` the share of the question's words that the passage holds, rare words and
    codes counting more; in mode ``hybrid`` the cosine raised by that share, see `blend`; in mode ``fusion`` a sum of
    reciprocal ranks, see `fused`. ``rerank`` gets all candidates, several times ``top_k``, and its scores take the
    place of these.
    """
    if settings.top_k < 1:
        raise RetrievalError(f"top_k is {settings.top_k}", hint="ask for at least 1 result")
    if not query.strip():
        return []
    found = [_result(chunk, hit) for hit, chunk in _scored(store, embedder, query, settings)]
    if rerank is not None:
        found = sorted(rerank(query, found), key=lambda result: -result.relevance_score)
    least = settings.min_score or 0.0
    return [result for result in found if result.relevance_score >= least][: settings.top_k]


def blend(cosine: float, share: float) -> float:
    """The score from 0 to 1 in mode ``hybrid``; ``share`` is that of the question's words which the passage holds.

    It is never less than the cosine: the distance that is left to 1 is closed in proportion to the square of
    ``share``, so that a few common words move little, a code or nearly all words much.
    """
    return 1 - (1 - cosine) * (1 - _WORDS_SHARE * share**2)


def _scored(store: Store, embedder: Embedder, query: str, settings: SearchSettings) -> list[tuple[Hit, Chunk]]:
    """The candidates of the mode with their scores, best first; equal ones in the order in which the store has them."""
    count = max(settings.top_k * _CANDIDATES_PER_RESULT, _FEWEST_CANDIDATES)
    words = store.count_words(query_words(query)) if settings.mode != "dense" else WordCounts({}, 0)
    matching = store.matching(words, count, settings.where)
    cosines = {}
    if settings.mode != "keyword":
        vector = embedder.embed([query])[0]
        cosines = {hit.chunk_id: hit.score for hit in store.nearest(vector, count, settings.where)}
        cosines |= _cosines(store, vector, [chunk_id for chunk_id in matching if chunk_id not in cosines])
    chunks = store.chunks(list(dict.fromkeys([*matching, *cosines])))
    weights = word_weights(words)
    found = [chunk_id for chunk_id in dict.fromkeys([*matching, *cosines]) if chunk_id in chunks]
    shares = {chunk_id: _share(chunks[chunk_id], weights) for chunk_id in found}
    scores = _scores({chunk_id: cosines.get(chunk_id, 0.0) for chunk_id in found}, shares, settings)
    best = sorted((chunk_id for chunk_id, score in scores.items() if score > 0), key=lambda one: -scores[one])
    return [(Hit(chunk_id, scores[chunk_id]), chunks[chunk_id]) for chunk_id in best]


def _scores(cosines: Mapping[int, float], shares: Mapping[int, float], settings: SearchSettings) -> Mapping[int, float]:
    match settings.mode:
        case "dense":
            return cosines
        case "keyword":
            return shares
        case "hybrid":
            return {chunk_id: blend(cosine, shares[chunk_id]) for chunk_id, cosine in cosines.items()}
        case "fusion":
            return fused(cosines, shares, settings.fusion)
        case _:
            assert_never(settings.mode)


def _cosines(store: Store, vector: Vectors, chunk_ids: Sequence[int]) -> dict[int, float]:
    return {chunk_id: max(0.0, float(found @ vector)) for chunk_id, found in store.vectors(chunk_ids).items()}


def _share(chunk: Chunk, weights: Mapping[str, float]) -> float:
    return coverage(f"{chunk.text} {searchable_values(chunk.metadata)}", weights)


def _result(chunk: Chunk, hit: Hit) -> SearchResult:
    location = {"source": chunk.source, "start": chunk.start, "end": chunk.end}
    return SearchResult(chunk.text, {**chunk.metadata, "location": location}, chunk.reference, hit.score)
