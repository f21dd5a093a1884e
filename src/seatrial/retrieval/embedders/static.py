"""The fast static embedder: one vector per token, averaged. For bulk; it understands less than the embedded model."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from seatrial.errors import MissingExtraError
from seatrial.retrieval.base import EmbedderOptions

try:
    import numpy as np
    import wordllama
except ImportError as error:
    raise MissingExtraError("fast", "the static embedder `fast`") from error

if TYPE_CHECKING:
    from seatrial.retrieval.base import Vectors

_BATCH = 256


class StaticEmbedder:
    """WordLlama, 256 dimensions, offline: some 70 times as fast as the embedded model (see the benchmarks).

    One object serves any number of threads; the weights are read with the first text.
    """

    # Vectors of tokens are averaged, so there is no limit of the model; beyond this a mean says little.
    max_tokens = 512

    def __init__(self, _options: EmbedderOptions) -> None:
        self.id = f"wordllama-l2-supercat-256-{version('wordllama')}"
        self._lock = threading.Lock()
        self._model: wordllama.inference.WordLlamaInference | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (n_texts, 256); a text without a known token has the zero vector, which is close to nothing."""
        vectors: Vectors = self._loaded().embed(list(texts), norm=False, batch_size=_BATCH).astype(np.float32)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        scaled: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        return scaled

    def count_tokens(self, text: str) -> int:
        """Tokens of the model's own tokenizer."""
        return len(self._loaded().tokenizer.encode(text, add_special_tokens=False).ids)

    def _loaded(self) -> wordllama.inference.WordLlamaInference:
        with self._lock:
            if self._model is None:
                # Told its own folder, the package finds the tokenizer that it ships instead of fetching one.
                folder = Path(wordllama.__file__).parent
                self._model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
            return self._model
