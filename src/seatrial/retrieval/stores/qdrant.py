"""Qdrant: a server for vectors. Tested against its client's local mode."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from seatrial.errors import ConfigError, MissingExtraError, RetrievalError
from seatrial.retrieval.base import Chunk, Hit, StoredFile, StoreOptions, WordCounts
from seatrial.retrieval.stores.facts import written_fact
from seatrial.retrieval.words import plain_words, searchable_values, word_weights

try:
    from qdrant_client import QdrantClient, models
    from qdrant_client.http.exceptions import ApiException
except ImportError as error:
    raise MissingExtraError("qdrant", "the store `qdrant`") from error

if TYPE_CHECKING:
    from seatrial.retrieval.base import Vectors

_BATCH = 256
_PAGE = 1000
_RAREST_WORDS = 8
_NAMESPACE = uuid.UUID("5ea71a1e-0000-4000-8000-000000000000")
_ABOUT = str(uuid.uuid5(_NAMESPACE, "about"))
_FACTS_INDEXED = ("words", "facts", "source")


class QdrantStore:
    """One index as two collections: chunks with vectors, and files. ``connection_string`` is the server's URL.

    ``:memory:`` and a folder's path open the client's local mode. Qdrant has no transactions: a file's chunks carry the
    generation that its record names, and chunks of another generation are not shown.
    """

    def __init__(self, options: StoreOptions) -> None:
        address = str(options.connection.get("connection_string") or "")
        if not address:
            raise ConfigError(
                "`database: provider: qdrant` has no connection_string",
                hint="write `connection_string: http://localhost:6333` under `database:`",
            )
        self._prefix = f"seatrial-{options.name}-"
        self._chunks_name = f"{self._prefix}{options.version}"
        self._files_name = f"{self._chunks_name}-files"
        self._is_remote = address.startswith(("http://", "https://"))
        with _translated("the store cannot be opened"):
            self._client = _client(address, options.connection.get("api_key"))
            if not self._client.collection_exists(self._files_name):
                self._client.create_collection(self._files_name, vectors_config={})
            about = models.PointStruct(id=_ABOUT, vector={}, payload={"used_at": time.time()})
            self._client.upsert(self._files_name, [about])
            self._is_made = self._client.collection_exists(self._chunks_name)

    def files(self) -> dict[str, StoredFile]:
        """The files that are in, by source."""
        with _translated("the files cannot be listed"):
            payloads = [payload for payload in self._file_payloads() if "source" in payload]
        return {
            payload["source"]: StoredFile(payload["content_hash"], payload["chunk_count"], tuple(payload["problems"]))
            for payload in payloads
        }

    def replace_file(self, source: str, file: StoredFile, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """New chunks come unseen; the file's record makes them seen; the former ones go."""
        generation = uuid.uuid4().hex
        with _translated(f"{source} cannot be stored"):
            if len(chunks):
                self._make(int(vectors.shape[1]))
            points = [_point(chunk, vector, generation) for chunk, vector in zip(chunks, vectors, strict=True)]
            for start in range(0, len(points), _BATCH):
                self._client.upsert(self._chunks_name, points[start : start + _BATCH], wait=True)
            record = {
                "source": source,
                "content_hash": file.content_hash,
                "problems": list(file.problems),
                "chunk_count": len(chunks),
                "generation": generation,
            }
            self._client.upsert(
                self._files_name, [models.PointStruct(id=_file_id(source), vector={}, payload=record)], wait=True
            )
            self._remove_chunks([source], but=generation)

    def remove_files(self, sources: Sequence[str]) -> None:
        """Chunks first, so that a removal that is broken off is taken up again."""
        with _translated("files cannot be removed"):
            if sources:
                self._remove_chunks(sources)
                self._client.delete(self._files_name, [_file_id(source) for source in sources], wait=True)

    def nearest(self, vector: Vectors, top_k: int, where: Mapping[str, Any] | None = None) -> list[Hit]:
        """By cosine, as the server's index finds them."""
        if not self._is_made:
            return []
        with _translated("the index cannot be searched"):
            found = self._client.query_points(
                self._chunks_name,
                query=vector.tolist(),
                limit=top_k,
                query_filter=models.Filter(must=_facts(where)),
                with_payload=False,
            ).points
        return [Hit(int(point.id), min(max(point.score, 0.0), 1.0)) for point in found]

    def matching(self, words: WordCounts, top_k: int, where: Mapping[str, Any] | None = None) -> list[int]:
        """Chunks that hold the rarest words; those that hold more weight of them first."""
        weights = word_weights(words)
        held = sorted((word for word, count in words.counts.items() if count), key=lambda word: -weights[word])
        sums: dict[int, float] = {}
        with _translated("the index cannot be searched"):
            for word in held[:_RAREST_WORDS]:
                wanted = models.Filter(must=[*_word(word), *_facts(where)])
                points, _ = self._client.scroll(
                    self._chunks_name, scroll_filter=wanted, limit=top_k, with_payload=False
                )
                for point in points:
                    sums[int(point.id)] = sums.get(int(point.id), 0.0) + weights[word]
        return sorted(sums, key=lambda chunk_id: (-sums[chunk_id], chunk_id))[:top_k]

    def count_words(self, words: Sequence[str]) -> WordCounts:
        """Asks the server once for each word."""
        if not self._is_made:
            return WordCounts(dict.fromkeys(words, 0), 0)
        with _translated("the index cannot be searched"):
            total = self._client.count(self._chunks_name, exact=True).count
            counts = {
                word: self._client.count(self._chunks_name, models.Filter(must=_word(word)), exact=True).count
                for word in words
            }
        return WordCounts(counts, total)

    def vectors(self, chunk_ids: Sequence[int]) -> dict[int, Vectors]:
        """Read by id."""
        return {
            int(point.id): np.asarray(point.vector, dtype=np.float32)
            for point in self._retrieved(chunk_ids, with_vectors=True)
        }

    def chunks(self, chunk_ids: Sequence[int]) -> dict[int, Chunk]:
        """By id; those that are gone, or not of their file's generation, are missing."""
        found = {int(point.id): point.payload or {} for point in self._retrieved(chunk_ids)}
        sources = {payload["source"] for payload in found.values()}
        with _translated("the files cannot be read"):
            records = self._client.retrieve(self._files_name, [_file_id(source) for source in sources])
        current = {payload["source"]: payload["generation"] for record in records if (payload := record.payload)}
        return {
            chunk_id: _chunk(payload)
            for chunk_id, payload in found.items()
            if current.get(payload["source"]) == payload["generation"]
        }

    def bytes_on_disk(self) -> None:
        """The server does not tell."""
        return

    def drop_old_versions(self, keep: int) -> None:
        """By the time when they were last opened."""
        with _translated("old versions cannot be dropped"):
            names = [one.name for one in self._client.get_collections().collections]
            others = [
                name
                for name in names
                if name.startswith(self._prefix) and name.endswith("-files") and name != self._files_name
            ]
            for name in sorted(others, key=self._used_at, reverse=True)[keep:]:
                self._client.delete_collection(name.removesuffix("-files"))
                self._client.delete_collection(name)

    def close(self) -> None:
        """Closes the client."""
        self._client.close()

    def _make(self, size: int) -> None:
        if self._is_made or self._client.collection_exists(self._chunks_name):
            self._is_made = True
            return
        config = models.VectorParams(size=size, distance=models.Distance.COSINE)
        self._client.create_collection(self._chunks_name, vectors_config=config)
        if self._is_remote:
            for name in _FACTS_INDEXED:
                self._client.create_payload_index(self._chunks_name, name, models.PayloadSchemaType.KEYWORD)
        self._is_made = True

    def _remove_chunks(self, sources: Sequence[str], but: str | None = None) -> None:
        if not self._is_made:
            return
        of_files = models.FieldCondition(key="source", match=models.MatchAny(any=list(sources)))
        kept: list[models.Condition] = []
        if but is not None:
            kept.append(models.FieldCondition(key="generation", match=models.MatchValue(value=but)))
        selector = models.FilterSelector(filter=models.Filter(must=[of_files], must_not=kept))
        self._client.delete(self._chunks_name, selector, wait=True)

    def _file_payloads(self) -> Iterator[dict[str, Any]]:
        offset: Any = None
        while True:
            points, offset = self._client.scroll(self._files_name, limit=_PAGE, offset=offset)
            yield from (point.payload or {} for point in points)
            if offset is None:
                return

    def _used_at(self, files_name: str) -> float:
        found = self._client.retrieve(files_name, [_ABOUT])
        return float((found[0].payload or {}).get("used_at", 0.0)) if found else 0.0

    def _retrieved(self, chunk_ids: Sequence[int], *, with_vectors: bool = False) -> list[models.Record]:
        if not chunk_ids or not self._is_made:
            return []
        with _translated("the chunks cannot be read"):
            return self._client.retrieve(
                self._chunks_name, list(chunk_ids), with_payload=not with_vectors, with_vectors=with_vectors
            )


def _client(address: str, api_key: Any) -> QdrantClient:
    if address.startswith(("http://", "https://")):
        key = None if api_key is None else str(api_key)
        return QdrantClient(url=address, api_key=key, check_compatibility=False)
    return QdrantClient(":memory:") if address == ":memory:" else QdrantClient(path=address)


@contextmanager
def _translated(failure: str) -> Iterator[None]:
    try:
        yield
    except (ApiException, OSError, RuntimeError, ValueError) as error:
        raise RetrievalError(f"{failure} in Qdrant: {str(error).strip().partition(chr(10))[0]}") from error


def _point(chunk: Chunk, vector: Vectors, generation: str) -> models.PointStruct:
    payload = {
        "text": chunk.text,
        "source": chunk.source,
        "reference": chunk.reference,
        "start": chunk.start,
        "end": chunk.end,
        "metadata": chunk.metadata,
        "generation": generation,
        "words": sorted(set(plain_words(f"{chunk.text} {searchable_values(chunk.metadata)}"))),
        "facts": [written_fact(name, value) for name, value in chunk.metadata.items()],
    }
    return models.PointStruct(id=uuid.uuid4().int >> 65, vector=vector.tolist(), payload=payload)


def _chunk(payload: Mapping[str, Any]) -> Chunk:
    place = payload["source"], payload["reference"], payload["start"], payload["end"]
    return Chunk(payload["text"], *place, dict(payload["metadata"]))


def _word(word: str) -> list[models.Condition]:
    """A code with signs inside is found by all its parts; whether they stand in a row is seen in the text."""
    return [models.FieldCondition(key="words", match=models.MatchValue(value=part)) for part in plain_words(word)]


def _facts(where: Mapping[str, Any] | None) -> list[models.Condition]:
    return [
        models.FieldCondition(key="facts", match=models.MatchValue(value=written_fact(name, value)))
        for name, value in (where or {}).items()
    ]


def _file_id(source: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, source))
