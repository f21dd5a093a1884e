"""A real embedder without a model: texts that share words are close."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt


class BagOfWords:
    """Each word adds 1 to one of 256 places; ``texts`` records everything that was embedded."""

    def __init__(self, name: str = "bag-of-words-1", max_tokens: int = 256) -> None:
        self.id = name
        self.dimension = 256
        self.max_tokens = max_tokens
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.texts += texts
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in _words(text):
                row[int.from_bytes(blake2b(word.encode(), digest_size=4).digest()) % self.dimension] += 1
            length = float(np.linalg.norm(row))
            row /= length or 1.0
        return rows

    def count_tokens(self, text: str) -> int:
        return len(_words(text))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
