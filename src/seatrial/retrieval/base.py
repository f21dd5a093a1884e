"""The words of retrieval: chunks, search results, and the protocols behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from seatrial.providers.base import ProviderOptions

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


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """What an embedder is built from: where its model is, and how long its vectors shall be where one may choose."""

    connection: ProviderOptions = field(default_factory=lambda: ProviderOptions(name=""))
    dimensions: int | None = None


class Embedder(Protocol):
    """Turns texts into vectors of length 1. May block for long; callers keep it off the event loop."""

    @property
    def id(self) -> str:
        """Name and version of the model: vectors of different ids do not mix."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (n_texts, dimension), float32, each row of Euclidean length 1, in the order of the texts.

        Raises `ProviderError` or `RetrievalError` when there are no vectors to be had.
        """

    def count_tokens(self, text: str) -> int:
        """How many of the embedder's tokens the text is."""

    @property
    def max_tokens(self) -> int:
        """Tokens after which a text is cut."""


# Gives candidates of a question new scores from 0 to 1; it may leave some out, and may block.
Reranker = Callable[[str, Sequence[SearchResult]], Sequence[SearchResult]]

SearchMode = Literal["dense", "keyword", "hybrid", "fusion"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found by one way of searching; ``chunk_id`` is the store's own number. ``score`` is from 0 to 1."""

    chunk_id: int
    score: float


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One source file as it stands in a store; ``problems`` are what its reader had to say."""

    content_hash: str
    chunk_count: int
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """What a store is opened with.

    ``name`` is the index's, ``version`` changes with everything that its vectors depend on: each version is kept
    apart, so that an old one works while a new one is built. ``folder`` is for what lies on disk, ``connection`` for
    what a server needs.
    """

    folder: Path
    name: str
    version: str
    connection: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WordCounts:
    """In how many of ``total`` chunks each word is."""

    counts: Mapping[str, int]
    total: int


class Store(Protocol):
    """Keeps the chunks of one index. May block; several threads may search while one writes.

    Each writing call is one transaction: after a crash a file is there with all its chunks or as it was before.
    Raises `RetrievalError` when the store cannot be used.
    """

    def files(self) -> dict[str, StoredFile]:
        """The files that are in, by source."""

    def replace_file(self, source: str, file: StoredFile, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """Puts a file's chunks in the place of its former ones; ``vectors`` are row by row those of the chunks."""

    def remove_files(self, sources: Sequence[str]) -> None:
        """Takes files out; names that are not in are passed over."""

    def nearest(self, vector: Vectors, top_k: int, where: Mapping[str, Any] | None = None) -> list[Hit]:
        """The chunks closest to ``vector`` (shape (dimension,)), best first.

        The score is the cosine of the angle, 0 where it is negative. ``where`` keeps chunks whose metadata has
        exactly these values.
        """

    def matching(self, words: WordCounts, top_k: int, where: Mapping[str, Any] | None = None) -> list[int]:
        """The ids of chunks that hold some of the words, in the text or in values of the metadata, best first.

        The order is the store's own (BM25 or near it) and only chooses candidates.
        """

    def count_words(self, words: Sequence[str]) -> WordCounts:
        """In how many chunks each word is, as `matching` would find it, and how many chunks there are."""

    def vectors(self, chunk_ids: Sequence[int]) -> dict[int, Vectors]:
        """The vectors, shape (dimension,), by id; an id that is gone meanwhile is missing."""

    def chunks(self, chunk_ids: Sequence[int]) -> dict[int, Chunk]:
        """The chunks behind hits, by id; an id that is gone meanwhile is missing."""

    def bytes_on_disk(self) -> int | None:
        """How much room the index takes; None when the store cannot tell."""

    def drop_old_versions(self, keep: int) -> None:
        """Removes all but the ``keep`` latest other versions of the same index."""

    def close(self) -> None:
        """Lets go of files and connections."""
