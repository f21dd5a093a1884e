"""How close texts are in meaning, each text embedded once."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

_KEPT_TEXTS = 4_096


class Meaning:
    """Cosines of texts, from -1 to 1. ``embed`` gives one vector of length 1 per text; safe to use from any thread."""

    def __init__(self, embed: Callable[[Sequence[str]], Vectors]) -> None:
        self._embed = embed
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
            known.update(zip(missing, self._embed(missing), strict=True))
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
