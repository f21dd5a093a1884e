"""An embedder whose calls go over the tape of their trial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seatrial.recording.tape import current_tape
from seatrial.retrieval.base import Embedder
from seatrial.retrieval.vector_text import text_of_vectors, vectors_of_text

if TYPE_CHECKING:
    from seatrial.retrieval.base import Vectors


class TapedEmbedder:
    """An embedder with all that is said of it, whose vectors come over the tape."""

    def __init__(self, embedder: Embedder) -> None:
        self.id = embedder.id
        self.max_tokens = embedder.max_tokens
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The tape's vectors; outside of trials, where indexes are built, the embedder's."""
        tape = current_tape()
        if tape is None:
            return self._embedder.embed(texts)
        return vectors_of_text(tape.embed(self.id, texts, lambda: text_of_vectors(self._embedder.embed(texts))))

    def count_tokens(self, text: str) -> int:
        """As the embedder counts."""
        return self._embedder.count_tokens(text)
