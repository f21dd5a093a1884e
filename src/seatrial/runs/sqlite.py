"""The run store in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from seatrial.runs.sql import Row, SqlRunStore, Value
from seatrial.runs.sqlite_schema import connect, transaction, translated


def open_sqlite(place: str, *, create: bool = True) -> SqliteRunStore:
    """The store at a path, or at ``sqlite://`` and a path."""
    path = Path(place.removeprefix("sqlite://"))
    return SqliteRunStore(path, connect(path, create=create))


class SqliteRunStore(SqlRunStore):
    """Runs in one SQLite file in WAL mode: what is committed survives the death of the process."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._numbers = {}

    def compact(self) -> None:
        """Rewrites the file without the space of what was deleted."""
        with self._reading():
            self._connection.execute("VACUUM")

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def _reading(self) -> AbstractContextManager[None]:
        return translated(self.path)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with translated(self.path), transaction(self._connection):
            yield

    def _rows(self, statement: str, values: Sequence[Value] = ()) -> Iterable[Row]:
        return self._connection.execute(statement, values)

    def _do(self, statement: str, rows: Sequence[Sequence[Value]]) -> None:
        self._connection.executemany(statement, rows)
