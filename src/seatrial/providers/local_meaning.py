"""How close texts are in meaning, each text embedded once."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from seatrial.errors import MissingExtraError

try:
    import numpy as np
except ImportError as error:
    raise MissingExtraError("local", "the embedded engine") from error

if TYPE_CHECKING:
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

_KEPT_TEXTS = 4_096


class TextEmbedder(Protocol):
    """What turns texts into vectors of length 1, one per row, and counts their tokens."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (n_texts, dimension), in the order of the texts."""

    def count_tokens(self, text: str) -> int:
        """The text's length in tokens."""


class Meaning:
    """Cosines of texts, from -1 to 1. Safe to use from any thread."""

    def __init__(self, embedder: TextEmbedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._known: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()

    def closeness(self, text: str, others: Sequence[str]) -> list[float]:
        """How close ``text`` is to each of the others, in their order."""
        if not others:
            return []
        vectors = self._vectors([text, *others])
        return [float(value) for value in vectors[1:] @ vectors[0]]

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            known = {text: self._known[text] for text in texts if text in self._known}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            known.update(zip(missing, self._embedder.embed(missing), strict=True))
        with self._lock:
            for text in texts:
                self._known[text] = known[text]
                self._known.move_to_end(text)
            while len(self._known) > _KEPT_TEXTS:
                self._known.popitem(last=False)
        return np.stack([known[text] for text in texts])


def spoken(name: str) -> str:
    """A name as words: ``order_id`` and ``orderId`` are ``order id``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ").strip().lower()
