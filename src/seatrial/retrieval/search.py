"""A question in, the closest passages out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from seatrial.errors import RetrievalError
from seatrial.retrieval.base import Chunk, Embedder, Hit, SearchMode, SearchResult, Store
from seatrial.retrieval.fusion import fuse
from seatrial.retrieval.words import code_terms, coverage, searchable_values

_LEADING_WEIGHT = 0.8
_SECOND_WEIGHT = 0.2
_FEW = 10
_CANDIDATES_PER_RESULT = 5
_FEWEST_CANDIDATES = 50


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How many results, from which score on, and by which way of searching.

    ``dense`` compares meanings, ``keyword`` words (BM25), ``hybrid`` fuses both rankings: meanings lead, unless the
    question names a code that only few passages hold. ``where`` keeps the
    passages whose metadata has exactly these values.
    """

    top_k: int = 5
    min_score: float | None = None
    mode: SearchMode = "hybrid"
    where: Mapping[str, Any] | None = None


def search(store: Store, embedder: Embedder, query: str, settings: SearchSettings) -> list[SearchResult]:
    """At most ``top_k`` results, best first; none for a blank query. What has nothing in common with it is left out.

    ``relevance_score`` is the cosine between question and passage (0 when negative) in mode ``dense``; the share of
    the question's words that the passage holds, rare words counting more, in mode ``keyword``; the greater of the two
    in mode ``hybrid``, where the order is that of the fused ranks and not of the scores.
    """
    if settings.top_k < 1:
        raise RetrievalError(f"top_k is {settings.top_k}", hint="ask for at least 1 result")
    if not query.strip():
        return []
    hits = _ranked(store, embedder, query, settings)
    least = settings.min_score or 0.0
    close = [hit for hit in hits if hit.score > 0 and hit.score >= least][: settings.top_k]
    chunks = store.chunks([hit.chunk_id for hit in close])
    return [_result(chunks[hit.chunk_id], hit) for hit in close if hit.chunk_id in chunks]


def _ranked(store: Store, embedder: Embedder, query: str, settings: SearchSettings) -> list[Hit]:
    count = max(settings.top_k * _CANDIDATES_PER_RESULT, _FEWEST_CANDIDATES)
    match settings.mode:
        case "dense":
            return store.nearest(embedder.embed([query])[0], count, settings.where)
        case "keyword":
            return store.matching(query, count, settings.where)
        case "hybrid":
            dense = store.nearest(embedder.embed([query])[0], count, settings.where)
            keyword = store.matching(query, count, settings.where)
            if _names_a_code(query, keyword, store):
                return fuse([(keyword, _LEADING_WEIGHT), (dense, _SECOND_WEIGHT)])
            return fuse([(dense, _LEADING_WEIGHT), (keyword, _SECOND_WEIGHT)])
        case _:
            assert_never(settings.mode)


def _names_a_code(query: str, keyword: Sequence[Hit], store: Store) -> bool:
    """Whether the question holds a code that few of the passages found hold: vectors do not tell codes apart."""
    codes = code_terms(query)
    if not codes:
        return False
    texts = [
        f"{chunk.text} {searchable_values(chunk.metadata)}"
        for chunk in store.chunks([hit.chunk_id for hit in keyword]).values()
    ]
    return any(0 < sum(coverage(text, {code: 1.0}) > 0 for text in texts) <= _FEW for code in codes)


def _result(chunk: Chunk, hit: Hit) -> SearchResult:
    location = {"source": chunk.source, "start": chunk.start, "end": chunk.end}
    return SearchResult(chunk.text, {**chunk.metadata, "location": location}, chunk.reference, hit.score)
