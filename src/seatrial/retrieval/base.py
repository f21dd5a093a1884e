"""The words of retrieval: chunks, search results, and the protocols behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage that is embedded and found as one.

    ``source`` is the file's path relative to the tool's source folder (POSIX slashes); ``reference`` says where in it
    (``faq.md#returns``, ``prices.csv record 12``, ``guide.pdf page 3``); ``start`` and ``end`` are character offsets
    in the document's text.
    """

    text: str
    source: str
    reference: str
    start: int = 0
    end: int = 0
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One hit, whichever store is behind it. ``relevance_score`` is from 0 to 1, higher is closer."""

    matched_content: str
    metadata_dict: dict[str, Any]
    source_reference: str
    relevance_score: float


class Embedder(Protocol):
    """Turns texts into vectors of length 1. May block for long; callers keep it off the event loop."""

    @property
    def id(self) -> str:
        """Name and version of the model: vectors of different ids do not mix."""

    @property
    def dimension(self) -> int:
        """The vectors' length."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (n_texts, dimension), float32, each row of Euclidean length 1, in the order of the texts."""

    def count_tokens(self, text: str) -> int:
        """How many of the embedder's tokens the text is."""

    @property
    def max_tokens(self) -> int:
        """Tokens after which a text is cut."""
