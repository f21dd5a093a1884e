"""All vectors of an index in one block of memory, compared exactly."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from seatrial.errors import MissingExtraError
from seatrial.retrieval.base import Hit

try:
    import numpy as np
except ImportError as error:
    raise MissingExtraError("local", "searching documents") from error

if TYPE_CHECKING:
    import numpy.typing as npt

    from seatrial.retrieval.base import Vectors


class VectorMatrix:
    """Rows of length-1 vectors with their chunk ids, ascending. A value: changes give a new one."""

    def __init__(self, ids: npt.NDArray[np.int64], rows: Vectors) -> None:
        self.ids = ids
        self.rows = rows

    @classmethod
    def of(cls, count: int, pairs: Iterable[tuple[int, bytes]]) -> VectorMatrix:
        """At most ``count`` rows from ids and float32 bytes of one length, filled in place."""
        ids = np.empty(count, dtype=np.int64)
        rows = np.empty((0, 0), dtype=np.float32)
        filled = 0
        for chunk_id, blob in pairs:
            row = np.frombuffer(blob, dtype=np.float32)
            if not filled:
                rows = np.empty((count, len(row)), dtype=np.float32)
            ids[filled] = chunk_id
            rows[filled] = row
            filled += 1
        return cls(ids[:filled], rows[:filled])

    def without(self, kept: npt.NDArray[np.int64]) -> VectorMatrix:
        """Only the rows whose ids are in ``kept``."""
        mask = np.isin(self.ids, kept, assume_unique=True)
        return self if mask.all() else VectorMatrix(self.ids[mask], self.rows[mask])

    def joined(self, later: VectorMatrix) -> VectorMatrix:
        """These rows, then those of ``later``."""
        if not len(later.ids):
            return self
        if not len(self.ids):
            return later
        return VectorMatrix(np.concatenate([self.ids, later.ids]), np.concatenate([self.rows, later.rows]))

    def vectors(self, wanted: Sequence[int]) -> dict[int, Vectors]:
        """The rows of the ids that are here."""
        places = np.searchsorted(self.ids, wanted)
        inside = [(one, int(place)) for one, place in zip(wanted, places, strict=True) if place < len(self.ids)]
        return {one: self.rows[place] for one, place in inside if self.ids[place] == one}

    def nearest(self, vector: Vectors, top_k: int, among: Collection[int] | None) -> list[Hit]:
        """The ``top_k`` rows with the largest cosine, best first, equal ones by id."""
        if not len(self.ids):
            return []
        # Not the matrix product: its threads wait for each other when other programs are busy, and gain nothing here.
        scores = np.einsum("ij,j->i", self.rows, vector)
        ids = self.ids
        if among is not None:
            mask = np.isin(ids, np.fromiter(among, dtype=np.int64, count=len(among)), assume_unique=True)
            scores, ids = scores[mask], ids[mask]
        if top_k < len(scores):
            best = np.argpartition(-scores, top_k - 1)[:top_k]
            scores, ids = scores[best], ids[best]
        order = np.lexsort((ids, -scores))
        return [Hit(int(ids[i]), min(max(float(scores[i]), 0.0), 1.0)) for i in order]
