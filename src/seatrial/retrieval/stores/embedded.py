"""The store that needs no server: one SQLite file with full-text search, vectors compared exactly in memory."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from seatrial.errors import RetrievalError
from seatrial.retrieval.base import Chunk, Hit, StoredFile, StoreOptions, WordCounts
from seatrial.retrieval.stores.database import connect, transaction
from seatrial.retrieval.stores.facts import written_fact
from seatrial.retrieval.stores.matrix import VectorMatrix
from seatrial.retrieval.words import searchable_values

if TYPE_CHECKING:
    from seatrial.retrieval.base import Vectors

_SUFFIX = ".sqlite"
_COMMON_SHARE = 0.1
_ALWAYS_RARE = 50
_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
  id INTEGER PRIMARY KEY, source TEXT NOT NULL UNIQUE, content_hash TEXT NOT NULL, problems TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT, file_id INTEGER NOT NULL REFERENCES files(id) ON DELETE CASCADE,
  text TEXT NOT NULL, keywords TEXT NOT NULL, reference TEXT NOT NULL, start INTEGER NOT NULL, end INTEGER NOT NULL,
  metadata TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS chunks_by_file ON chunks(file_id);
CREATE TABLE IF NOT EXISTS vectors (chunk_id INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
  text, keywords, content='chunks', content_rowid='id', tokenize='unicode61 remove_diacritics 2'
);
CREATE TRIGGER IF NOT EXISTS chunk_added AFTER INSERT ON chunks BEGIN
  INSERT INTO words(rowid, text, keywords) VALUES (new.id, new.text, new.keywords);
END;
CREATE TRIGGER IF NOT EXISTS chunk_removed AFTER DELETE ON chunks BEGIN
  INSERT INTO words(words, rowid, text, keywords) VALUES ('delete', old.id, old.text, old.keywords);
  DELETE FROM vectors WHERE chunk_id = old.id;
END;
"""

_INSERT_CHUNK = (
    "INSERT INTO chunks(file_id, text, keywords, reference, start, end, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_METADATA = "SELECT id, metadata FROM chunks WHERE instr(metadata, ?)"
_MATCHING = """
SELECT rowid FROM words
WHERE words MATCH :expression AND (:among IS NULL OR rowid IN (SELECT value FROM json_each(:among)))
ORDER BY rank LIMIT :top_k
"""
_CHUNKS = """
SELECT chunks.id, text, source, reference, start, end, metadata FROM chunks JOIN files ON files.id = chunks.file_id
WHERE chunks.id IN (SELECT value FROM json_each(?))
"""


class EmbeddedStore:
    """One file; any number of processes read while one writes (write-ahead log)."""

    def __init__(self, options: StoreOptions) -> None:
        self._path = path = options.folder / f"{options.name}-{options.version}{_SUFFIX}"
        self._versions = f"{options.name}-*{_SUFFIX}"
        self._lock = threading.RLock()
        self._matrix = VectorMatrix.of(0, ())
        self._seen_version: int | None = None
        try:
            self._reader = connect(path)
            self._writer = connect(path)
            with self._writing("the store cannot be set up"):
                _create(self._writer)
        except (sqlite3.Error, OSError) as error:
            raise RetrievalError(
                f"the index {path} cannot be opened: {error}", hint="delete the file; it is built anew"
            ) from error

    def files(self) -> dict[str, StoredFile]:
        """The files that are in, by source."""
        rows = self._read(
            "SELECT source, content_hash, problems, (SELECT count(*) FROM chunks WHERE file_id = files.id) FROM files"
        )
        return {
            source: StoredFile(content_hash, count, tuple(json.loads(problems)))
            for source, content_hash, problems, count in rows
        }

    def replace_file(self, source: str, file: StoredFile, chunks: Sequence[Chunk], vectors: Vectors) -> None:
        """One transaction: the former chunks go, the new ones come."""
        blobs = [row.tobytes() for row in np.ascontiguousarray(vectors, dtype=np.float32)]
        with self._writing(f"{source} cannot be stored") as connection:
            connection.execute("DELETE FROM files WHERE source = ?", (source,))
            file_id = connection.execute(
                "INSERT INTO files(source, content_hash, problems) VALUES (?, ?, ?)",
                (source, file.content_hash, json.dumps(file.problems)),
            ).lastrowid
            for chunk, blob in zip(chunks, blobs, strict=True):
                chunk_id = connection.execute(_INSERT_CHUNK, (file_id, *_row(chunk))).lastrowid
                connection.execute("INSERT INTO vectors(chunk_id, vector) VALUES (?, ?)", (chunk_id, blob))

    def remove_files(self, sources: Sequence[str]) -> None:
        """One transaction for all of them."""
        with self._writing("files cannot be removed") as connection:
            connection.executemany("DELETE FROM files WHERE source = ?", [(source,) for source in sources])

    def nearest(self, vector: Vectors, top_k: int, where: Mapping[str, Any] | None = None) -> list[Hit]:
        """Exact: every vector is compared."""
        with self._lock:
            matrix = self._fresh_matrix()
        return matrix.nearest(vector, top_k, self._ids_where(where) if where else None)

    def matching(self, words: WordCounts, top_k: int, where: Mapping[str, Any] | None = None) -> list[int]:
        """By BM25."""
        expression = " OR ".join(_fts_string(word) for word in _telling(words))
        if not expression:
            return []
        among = json.dumps(self._ids_where(where)) if where else None
        rows = self._read(_MATCHING, {"expression": expression, "among": among, "top_k": top_k})
        return [row[0] for row in rows]

    def count_words(self, words: Sequence[str]) -> WordCounts:
        """Asks the full-text index once for each word."""
        total = self._read("SELECT count(*) FROM chunks")[0][0]
        count = "SELECT count(*) FROM words WHERE words MATCH ?"
        return WordCounts({word: self._read(count, (_fts_string(word),))[0][0] for word in words}, total)

    def vectors(self, chunk_ids: Sequence[int]) -> dict[int, Vectors]:
        """From memory."""
        with self._lock:
            matrix = self._fresh_matrix()
        return matrix.vectors(chunk_ids)

    def chunks(self, chunk_ids: Sequence[int]) -> dict[int, Chunk]:
        """By id; those that are gone are missing."""
        rows = self._read(_CHUNKS, (json.dumps(list(chunk_ids)),))
        return {
            chunk_id: Chunk(text, source, reference, start, end, json.loads(metadata))
            for chunk_id, text, source, reference, start, end, metadata in rows
        }

    def bytes_on_disk(self) -> int:
        """The file and its write-ahead log."""
        parts = (Path(f"{self._path}{part}") for part in ("", "-wal"))
        return sum(part.stat().st_size for part in parts if part.exists())

    def drop_old_versions(self, keep: int) -> None:
        """By the time of their last change. A file that another process holds stays where the system wants it so."""
        others = [path for path in self._path.parent.glob(self._versions) if path != self._path]
        for path in sorted(others, key=lambda path: path.stat().st_mtime, reverse=True)[keep:]:
            for part in ("", "-wal", "-shm"):
                with suppress(OSError):
                    Path(f"{path}{part}").unlink(missing_ok=True)

    def close(self) -> None:
        """Closes both connections."""
        with self._lock:
            self._reader.close()
            self._writer.close()

    def _read(self, sql: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        try:
            with self._lock:
                return self._reader.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise RetrievalError(f"the index {self._path} cannot be searched: {error}") from error

    @contextmanager
    def _writing(self, failure: str) -> Iterator[sqlite3.Connection]:
        try:
            with transaction(self._writer):
                yield self._writer
        except sqlite3.Error as error:
            raise RetrievalError(f"{failure} in the index {self._path}: {error}") from error

    def _ids_where(self, where: Mapping[str, Any]) -> list[int]:
        """The chunks whose metadata has all the pairs; the written form of one of them finds the candidates."""
        rarest = max((written_fact(name, value) for name, value in where.items()), key=len)
        return [
            chunk_id for chunk_id, metadata in self._read(_METADATA, (rarest,)) if _has_all(json.loads(metadata), where)
        ]

    def _fresh_matrix(self) -> VectorMatrix:
        """The vectors as the file has them now; only rows that came since are read."""
        version = self._read("PRAGMA data_version")[0][0]
        if version != self._seen_version:
            self._matrix = self._reloaded()
            self._seen_version = version
        return self._matrix

    def _reloaded(self) -> VectorMatrix:
        known = int(self._matrix.ids[-1]) if len(self._matrix.ids) else 0
        present = self._read("SELECT chunk_id FROM vectors WHERE chunk_id <= ? ORDER BY chunk_id", (known,))
        kept = self._matrix.without(np.fromiter((row[0] for row in present), np.int64, len(present)))
        count = self._read("SELECT count(*) FROM vectors WHERE chunk_id > ?", (known,))[0][0]
        with closing(self._reader.cursor()) as cursor:
            added = cursor.execute(
                "SELECT chunk_id, vector FROM vectors WHERE chunk_id > ? ORDER BY chunk_id LIMIT ?", (known, count)
            )
            return kept.joined(VectorMatrix.of(count, added))


def _create(connection: sqlite3.Connection) -> None:
    for statement in _statements(_SCHEMA):
        connection.execute(statement)


def _statements(script: str) -> Iterator[str]:
    """Single statements, so that they run inside the transaction (``executescript`` would commit it)."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def _row(chunk: Chunk) -> tuple[str, str, str, int, int, str]:
    metadata = json.dumps(chunk.metadata, default=str)
    return chunk.text, searchable_values(chunk.metadata), chunk.reference, chunk.start, chunk.end, metadata


def _has_all(metadata: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    return all(
        name in metadata and metadata[name] == value and isinstance(metadata[name], bool) == isinstance(value, bool)
        for name, value in where.items()
    )


def _telling(words: WordCounts) -> list[str]:
    """The words that tell chunks apart: those in more than a tenth of them are left out, but for the rarest.

    Ranking every chunk that holds a common word is slow and moves nothing.
    """
    held = {word: count for word, count in words.counts.items() if count}
    limit = max(words.total * _COMMON_SHARE, _ALWAYS_RARE, min(held.values(), default=0))
    return [word for word, count in held.items() if count <= limit]


def _fts_string(word: str) -> str:
    """Quoted, so that no sign in it is an operator; ``a-12`` is then the phrase ``a 12``."""
    return '"' + word.replace('"', '""') + '"'
