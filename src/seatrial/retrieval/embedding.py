"""Embeds many passages in batches and never one text twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from seatrial.errors import MissingExtraError
from seatrial.retrieval.base import Chunk, Embedder
from seatrial.retrieval.stores.vector_cache import VectorCache

try:
    import numpy as np
except ImportError as error:
    raise MissingExtraError("local", "searching documents") from error

if TYPE_CHECKING:
    from seatrial.retrieval.base import Vectors

_BATCH = 64


def embed_chunks(
    chunks: Sequence[Chunk],
    embedder: Embedder,
    cache: VectorCache,
    on_batch: Callable[[int], None],
    *,
    is_forced: bool = False,
) -> tuple[Vectors, int]:
    """Shape (n_chunks, dimension), row by row those of the chunks, and how many texts went to the embedder.

    Each batch is kept as soon as it is there, so that little is lost when the process is killed. ``on_batch`` is told
    how many chunks are done and may raise to stop. ``is_forced`` embeds also what is known.
    """
    vectors: list[Vectors] = []
    texts = [text_to_embed(chunk) for chunk in chunks]
    embedded = 0
    for start in range(0, len(texts), _BATCH):
        on_batch(start)
        batch = texts[start : start + _BATCH]
        known = {} if is_forced else cache.known(batch)
        missing = [text for text in dict.fromkeys(batch) if text not in known]
        if missing:
            made = dict(zip(missing, embedder.embed(missing), strict=True))
            cache.add(made)
            known |= made
            embedded += len(missing)
        vectors += [known[text] for text in batch]
    return np.stack(vectors) if vectors else np.empty((0, 0), dtype=np.float32), embedded


def text_to_embed(chunk: Chunk) -> str:
    """The passage below its heading, which says what it is about where the passage itself does not."""
    heading = str(chunk.metadata.get("heading", ""))
    return chunk.text if not heading or heading in chunk.text else f"{heading}\n{chunk.text}"
