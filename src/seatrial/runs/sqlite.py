"""The run store in one SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from seatrial.runs.sql import ROW_OF_TRIAL, Row, SqlRunStore, Value
from seatrial.runs.sqlite_schema import connect, transaction, translated

_ROWS_AT_ONCE = (32, 8, 4, 2)


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
        self._place = path.absolute()
        self._inode = _inode_of(self._place)

    @property
    def is_gone(self) -> bool:
        """Whether another file, or none, is in the place of the one that was opened."""
        return _inode_of(self._place) != self._inode

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

    def _add_rows(self, statement: str, rows: Sequence[Sequence[Value]]) -> None:
        """Several rows with one statement: with each statement the interpreter's lock changes hands twice."""
        first = 0
        for count in _ROWS_AT_ONCE:
            several = statement.replace(ROW_OF_TRIAL, ", ".join([ROW_OF_TRIAL] * count))
            while len(rows) - first >= count:
                self._connection.execute(several, [value for row in rows[first : first + count] for value in row])
                first += count
        self._do(statement, rows[first:])


def _inode_of(path: Path) -> int | None:
    """What tells the file from any other; None where there is none."""
    try:
        return path.stat().st_ino
    except OSError:
        return None
