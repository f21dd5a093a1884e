"""PostgreSQL with pgvector: indexes of many projects in one database, searched by any number of machines."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from seatrial.errors import ConfigError, MissingExtraError, RetrievalError
from seatrial.retrieval.base import Chunk, Hit, StoredFile, StoreOptions, WordCounts
from seatrial.retrieval.words import plain_words, searchable_values

try:
    import psycopg
    from psycopg.rows import TupleRow
except ImportError as error:
    raise MissingExtraError("postgres", "the store `pgvector`") from error

if TYPE_CHECKING:
    from seatrial.retrieval.base import Vectors

# Several machines may open the first index at once; only one of them makes the tables.
_SETUP_LOCK = 7_237_146
_MOST_INDEXED_DIMENSIONS = 2000
# With the server's default of 40 a tenth of the neighbours is missed; this costs a millisecond.
_LEAST_SEARCHED = 400
_SCHEMA = """
CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA IF NOT EXISTS seatrial;
CREATE TABLE IF NOT EXISTS seatrial.indexes (
  id bigserial PRIMARY KEY, name text NOT NULL, version text NOT NULL, used_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (name, version)
);
CREATE TABLE IF NOT EXISTS seatrial.files (
  id bigserial PRIMARY KEY, index_id bigint NOT NULL REFERENCES seatrial.indexes(id) ON DELETE CASCADE,
  source text NOT NULL, content_hash text NOT NULL, problems jsonb NOT NULL, UNIQUE (index_id, source)
);
CREATE TABLE IF NOT EXISTS seatrial.chunks (
  id bigserial PRIMARY KEY, index_id bigint NOT NULL,
  file_id bigint NOT NULL REFERENCES seatrial.files(id) ON DELETE CASCADE,
  text text NOT NULL, words tsvector NOT NULL, reference text NOT NULL, start_at int NOT NULL, end_at int NOT NULL,
  metadata jsonb NOT NULL, embedding vector NOT NULL
);
CREATE INDEX IF NOT EXISTS chunks_by_file ON seatrial.chunks (file_id);
CREATE INDEX IF NOT EXISTS chunks_by_index ON seatrial.chunks (index_id);
CREATE INDEX IF NOT EXISTS chunks_by_words ON seatrial.chunks USING gin (words);
"""
_INSERT_FILE = """
INSERT INTO seatrial.files (index_id, source, content_hash, problems) VALUES (%s, %s, %s, %s) RETURNING id
"""
_INSERT_CHUNK = """
INSERT INTO seatrial.chunks (index_id, file_id, text, words, reference, start_at, end_at, metadata, embedding)
VALUES (%s, %s, %s, to_tsvector('simple', %s), %s, %s, %s, %s, %s)
"""
_FILES = """
SELECT source, content_hash, problems, (SELECT count(*) FROM seatrial.chunks WHERE file_id = files.id)
FROM seatrial.files WHERE index_id = %s
"""
_MATCHING = """
SELECT id FROM seatrial.chunks, to_tsquery('simple', %(query)s) AS query
WHERE index_id = %(index_id)s AND words @@ query AND (%(where)s::jsonb IS NULL OR metadata @> %(where)s::jsonb)
ORDER BY ts_rank(words, query, 1) DESC, id LIMIT %(top_k)s
"""
_NEAREST = """
SELECT id, 1 - ({column} <=> %(vector)s::vector) FROM seatrial.chunks
WHERE index_id = {index_id} {filter}
ORDER BY {column} <=> %(vector)s::vector LIMIT %(top_k)s
"""
_VECTOR_INDEX = """
CREATE INDEX IF NOT EXISTS {name} ON seatrial.chunks
USING hnsw ((embedding::vector({size})) vector_cosine_ops) WHERE index_id = {index_id}
"""
_CHUNKS = """
SELECT chunks.id, text, source, reference, start_at, end_at, metadata
FROM seatrial.chunks JOIN seatrial.files ON files.id = file_id WHERE chunks.id = ANY(%s)
"""
_DROP_OLD = """
DELETE FROM seatrial.indexes WHERE id IN (
  SELECT id FROM seatrial.indexes WHERE name = %s AND version <> %s ORDER BY used_at DESC, id DESC OFFSET %s
)
"""


class PgvectorStore:
    """One index in a database; ``connection_string`` says which. Each writing call is one transaction.

    Nearest neighbours come from an HNSW index (approximate, exact order among those found) where vectors have at most
    2,000 dimensions, else from comparing all.
    """

    def __init__(self, options: StoreOptions) -> None:
        address = options.connection.get("connection_string")
        if not address:
            raise ConfigError(
                "`database: provider: pgvector` has no connection_string",
                hint="write `connection_string: ${DATABASE_URL}` under `database:`",
            )
        self._name, self._version = options.name, options.version
        self._lock = threading.RLock()
        self._has_written = False
        try:
            self._connection = psycopg.connect(str(address), autocommit=True)
        except psycopg.Error as error:
            raise RetrievalError(
                f"no connection to the database: {_first_line(error)}", hint="is the server running?"
            ) from error
        try:
            with self._transaction("the tables cannot be made"):
                self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (_SETUP_LOCK,))
                self._connection.execute(_SCHEMA)
                self._index_id = self._registered()
        except RetrievalError:
            self._connection.close()
            raise

    def files(self) -> dict[str, StoredFile]:
        """The files that are in, by source."""
        return {
            source: StoredFile(content_hash, count, tuple(problems))
            for source, content_hash, problems, count in self._read(_FILES, (self._index_id,))
        }

    def replace_file(self, source: str, file: StoredFile, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """One transaction: the former chunks go, the new ones come."""
        with self._transaction(f"{source} cannot be stored") as connection:
            connection.execute(
                "DELETE FROM seatrial.files WHERE index_id = %s AND source = %s", (self._index_id, source)
            )
            inserted = connection.execute(
                _INSERT_FILE,
                (self._index_id, source, file.content_hash, json.dumps(file.problems)),
            ).fetchone()
            file_id = _only(inserted)[0]
            rows = zip(chunks, vectors, strict=True)
            with connection.cursor() as cursor:
                cursor.executemany(_INSERT_CHUNK, [self._row(file_id, chunk, vector) for chunk, vector in rows])
            if len(chunks) and vectors.shape[1] <= _MOST_INDEXED_DIMENSIONS:
                self._make_vector_index(vectors.shape[1])
        self._has_written = True

    def remove_files(self, sources: Sequence[str]) -> None:
        """One transaction for all of them."""
        with self._transaction("files cannot be removed") as connection:
            connection.execute(
                "DELETE FROM seatrial.files WHERE index_id = %s AND source = ANY(%s)", (self._index_id, list(sources))
            )

    def nearest(self, vector: Vectors, top_k: int, where: Mapping[str, Any] | None = None) -> list[Hit]:
        """By cosine, through the vector index."""
        size = len(vector)
        column = f"embedding::vector({size})" if size <= _MOST_INDEXED_DIMENSIONS else "embedding"
        query = psycopg.sql.SQL(_NEAREST).format(
            column=psycopg.sql.SQL(column),
            index_id=psycopg.sql.Literal(self._index_id),
            filter=psycopg.sql.SQL("AND metadata @> %(where)s::jsonb" if where else ""),
        )
        values = {"vector": _written(vector), "where": _filter(where), "top_k": top_k}
        with self._transaction("the index cannot be searched") as connection:
            connection.execute(
                "SELECT set_config('hnsw.ef_search', %s, true)", (str(min(max(top_k, _LEAST_SEARCHED), 1000)),)
            )
            connection.execute("SET LOCAL hnsw.iterative_scan = strict_order")
            if not where:
                # The planner takes vectors for cheap to read and compares all of them; the index needs no sorting.
                connection.execute("SET LOCAL enable_sort = off")
            rows = connection.execute(query, values).fetchall()
        return [Hit(chunk_id, min(max(cosine, 0.0), 1.0)) for chunk_id, cosine in rows]

    def matching(self, words: WordCounts, top_k: int, where: Mapping[str, Any] | None = None) -> list[int]:
        """By the rank of PostgreSQL's full-text search."""
        query = " | ".join(_phrase(word) for word, count in words.counts.items() if count)
        if not query:
            return []
        values = {"query": query, "index_id": self._index_id, "where": _filter(where), "top_k": top_k}
        return [row[0] for row in self._read(_MATCHING, values)]

    def count_words(self, words: Sequence[str]) -> WordCounts:
        """Asks the full-text index once for each word."""
        total = self._read("SELECT count(*) FROM seatrial.chunks WHERE index_id = %s", (self._index_id,))[0][0]
        count = "SELECT count(*) FROM seatrial.chunks WHERE index_id = %s AND words @@ to_tsquery('simple', %s)"
        return WordCounts({word: self._read(count, (self._index_id, _phrase(word)))[0][0] for word in words}, total)

    def vectors(self, chunk_ids: Sequence[int]) -> dict[int, Vectors]:
        """Read by id."""
        rows = self._read("SELECT id, embedding::text FROM seatrial.chunks WHERE id = ANY(%s)", (list(chunk_ids),))
        return {chunk_id: np.array(json.loads(text), dtype=np.float32) for chunk_id, text in rows}

    def chunks(self, chunk_ids: Sequence[int]) -> dict[int, Chunk]:
        """By id; those that are gone are missing."""
        return {
            chunk_id: Chunk(text, source, reference, start, end, metadata)
            for chunk_id, text, source, reference, start, end, metadata in self._read(_CHUNKS, (list(chunk_ids),))
        }

    def bytes_on_disk(self) -> None:
        """Not told apart from other indexes in the database."""
        return

    def drop_old_versions(self, keep: int) -> None:
        """By the time when they were last opened, with their vector indexes.

        The server's statistics are renewed before, when anything was written: without them it compares every vector.
        """
        if self._has_written:
            with self._transaction("the statistics cannot be renewed") as connection:
                connection.execute("ANALYZE seatrial.chunks")
            self._has_written = False
        with self._transaction("old versions cannot be dropped") as connection:
            for (index_id,) in connection.execute(_DROP_OLD + " RETURNING id", (self._name, self._version, keep)):
                name = psycopg.sql.Identifier("seatrial", f"vectors_{index_id}")
                connection.execute(psycopg.sql.SQL("DROP INDEX IF EXISTS {}").format(name))

    def close(self) -> None:
        """Closes the connection."""
        with self._lock:
            self._connection.close()

    def _registered(self) -> int:
        row = self._connection.execute(
            "INSERT INTO seatrial.indexes (name, version) VALUES (%s, %s) "
            "ON CONFLICT (name, version) DO UPDATE SET used_at = now() RETURNING id",
            (self._name, self._version),
        ).fetchone()
        return int(_only(row)[0])

    def _row(self, file_id: int, chunk: Chunk, vector: Vectors) -> tuple[Any, ...]:
        text = _storable(chunk.text)
        words = plain_words(f"{text} {searchable_values(chunk.metadata)}")
        metadata = _storable(json.dumps(chunk.metadata, default=str))
        return (
            *(self._index_id, file_id, text, " ".join(words), _storable(chunk.reference), chunk.start, chunk.end),
            *(metadata, _written(vector)),
        )

    def _make_vector_index(self, size: int) -> None:
        statement = psycopg.sql.SQL(_VECTOR_INDEX).format(
            name=psycopg.sql.Identifier(f"vectors_{self._index_id}"),
            size=psycopg.sql.Literal(size),
            index_id=psycopg.sql.Literal(self._index_id),
        )
        self._connection.execute(statement)

    def _read(self, sql: str, values: Any) -> list[TupleRow]:
        try:
            with self._lock:
                return self._connection.execute(sql, values).fetchall()
        except psycopg.Error as error:
            raise RetrievalError(f"the database cannot be read: {_first_line(error)}") from error

    @contextmanager
    def _transaction(self, failure: str) -> Iterator[psycopg.Connection]:
        try:
            with self._lock, self._connection.transaction():
                yield self._connection
        except psycopg.Error as error:
            raise RetrievalError(f"{failure}: {_first_line(error)}") from error


def _phrase(word: str) -> str:
    """The word as a query: a code with signs inside is its parts in a row."""
    return "(" + " <-> ".join(f"'{part}'" for part in plain_words(word)) + ")"


def _written(vector: Vectors) -> str:
    return "[" + ",".join(repr(float(value)) for value in vector) + "]"


def _filter(where: Mapping[str, Any] | None) -> str | None:
    return json.dumps(where) if where else None


def _storable(text: str) -> str:
    """PostgreSQL's texts hold no NUL."""
    return text.replace("\x00", "").replace("\\u0000", "")


def _only(row: TupleRow | None) -> TupleRow:
    if row is None:
        raise RetrievalError("the database gave no row where one was asked for")
    return row


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
