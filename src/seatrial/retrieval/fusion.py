"""Several rankings made into one."""

from __future__ import annotations

from collections.abc import Sequence

from seatrial.retrieval.base import Hit

_K = 10


def fuse(rankings: Sequence[tuple[Sequence[Hit], float]]) -> list[Hit]:
    """Weighted reciprocal rank fusion (Cormack et al. 2009, with k = 10), best first, equal ones by id.

    Each ranking comes with its weight and adds ``weight / (k + rank)`` to each of its hits. The order is that of the
    sums; the score of a hit is the best that any ranking gave it, so that it says how close the chunk is and not how
    many others were found.
    """
    sums: dict[int, float] = {}
    scores: dict[int, float] = {}
    for hits, weight in rankings:
        for rank, hit in enumerate(hits, start=1):
            sums[hit.chunk_id] = sums.get(hit.chunk_id, 0.0) + weight / (_K + rank)
            scores[hit.chunk_id] = max(scores.get(hit.chunk_id, 0.0), hit.score)
    order = sorted(sums, key=lambda chunk_id: (-sums[chunk_id], chunk_id))
    return [Hit(chunk_id, scores[chunk_id]) for chunk_id in order]
