"""Weighted reciprocal rank fusion: two rankings become one.

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods", 2009.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Stores compute the same cosine with other roundings.
_DIGITS = 5


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """``dense`` is the weight of the ranking by meaning, the rest to 1 that of the ranking by words.

    The larger ``k``, the less the first places count. The defaults are the best of sixty on the half of the labelled
    set that settings are chosen on.
    """

    dense: float = 0.5
    k: int = 1


def fused(cosines: Mapping[int, float], shares: Mapping[int, float], weights: FusionWeights) -> dict[int, float]:
    """Scores from 0 to 1 by chunk: 1 for one that is first in both rankings; those that are in neither are missing.

    Equal scores have equal ranks, and what scores 0 has none, so that the result is the same with every store.
    """
    dense, keyword = _ranks(cosines), _ranks(shares)
    most = 1 / (weights.k + 1)

    def part(ranks: Mapping[int, int], chunk_id: int) -> float:
        return 1 / (weights.k + ranks[chunk_id]) / most if chunk_id in ranks else 0.0

    return {
        chunk_id: weights.dense * part(dense, chunk_id) + (1 - weights.dense) * part(keyword, chunk_id)
        for chunk_id in dict.fromkeys([*keyword, *dense])
    }


def _ranks(scores: Mapping[int, float]) -> dict[int, int]:
    rounded = {chunk_id: round(score, _DIGITS) for chunk_id, score in scores.items()}
    first: dict[float, int] = {}
    for rank, score in enumerate(sorted(rounded.values(), reverse=True), start=1):
        first.setdefault(score, rank)
    return {chunk_id: first[score] for chunk_id, score in rounded.items() if score > 0}
