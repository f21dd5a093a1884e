"""SQLite files that several processes open at once, also when none of them is there yet."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_BUSY_TIMEOUT_S = 60.0
_POLL_S = 0.01


def connect(path: Path) -> sqlite3.Connection:
    """A connection for any thread, in write-ahead mode; makes the file and its folder. Raises `sqlite3.Error`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=_BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    try:
        _set_write_ahead(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Takes the write lock at once, and commits at the end or rolls back."""
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


def _set_write_ahead(connection: sqlite3.Connection) -> None:
    """Two processes that switch a new file over at once get "busy" in spite of the time-out, so it is asked again."""
    deadline = time.monotonic() + _BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_POLL_S)
        else:
            return
