"""Vectors by the text they were made of, so that no text is embedded twice."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from seatrial.errors import MissingExtraError, RetrievalError
from seatrial.retrieval.stores.database import connect, transaction

try:
    import numpy as np
except ImportError as error:
    raise MissingExtraError("local", "searching documents") from error

if TYPE_CHECKING:
    from seatrial.retrieval.base import Vectors

_DAY_S = 86_400
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (
  embedder TEXT NOT NULL, text_hash TEXT NOT NULL, vector BLOB NOT NULL, used_day INTEGER NOT NULL,
  PRIMARY KEY (embedder, text_hash)
) STRICT
"""
_KNOWN = """
SELECT text_hash, vector, used_day FROM vectors
WHERE embedder = ? AND text_hash IN (SELECT value FROM json_each(?))
"""


class VectorCache:
    """A file of vectors, shared by all indexes of a project. Each write is committed at once."""

    def __init__(self, path: Path, embedder_id: str) -> None:
        self._embedder_id = embedder_id
        self._path = path
        self._lock = threading.Lock()
        try:
            self._connection = connect(path)
            self._connection.execute(_SCHEMA)
        except (sqlite3.Error, OSError) as error:
            raise self._failure(error) from error

    def known(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """The vectors that are there, by text."""
        by_hash = {_hash(text): text for text in texts}
        wanted = json.dumps(list(by_hash))
        try:
            with self._lock:
                rows = self._connection.execute(_KNOWN, (self._embedder_id, wanted)).fetchall()
                stale = [row[0] for row in rows if row[2] != _today()]
                if stale:
                    self._mark_used(stale)
        except sqlite3.Error as error:
            raise self._failure(error) from error
        return {by_hash[text_hash]: np.frombuffer(blob, dtype=np.float32) for text_hash, blob, _ in rows}

    def add(self, vectors: Mapping[str, Vectors]) -> None:
        """Keeps vectors by text."""
        rows = [
            (self._embedder_id, _hash(text), vector.astype(np.float32).tobytes(), _today())
            for text, vector in vectors.items()
        ]
        try:
            with self._lock, transaction(self._connection):
                self._connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows)
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def forget_unused(self, days: int) -> None:
        """Drops the vectors, of any embedder, that were not asked for in ``days`` days."""
        try:
            with self._lock, transaction(self._connection):
                self._connection.execute("DELETE FROM vectors WHERE used_day < ?", (_today() - days,))
        except sqlite3.Error as error:
            raise self._failure(error) from error

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._connection.close()

    def _mark_used(self, hashes: Sequence[str]) -> None:
        with transaction(self._connection):
            self._connection.executemany(
                "UPDATE vectors SET used_day = ? WHERE embedder = ? AND text_hash = ?",
                [(_today(), self._embedder_id, text_hash) for text_hash in hashes],
            )

    def _failure(self, error: Exception) -> RetrievalError:
        return RetrievalError(f"the vector cache {self._path} cannot be used: {error}", hint="delete the file")


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8")).hexdigest()


def _today() -> int:
    return int(time.time() // _DAY_S)
