"""One refresh at a time, across processes: a lock that a killed process lets go of."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from seatrial.errors import RetrievalError

_POLL_S = 0.05


@contextmanager
def exclusive(path: Path, *, on_wait: Callable[[], None]) -> Iterator[None]:
    """Holds the lock at ``path`` inside the block. While another process has it, ``on_wait`` is called now and then.

    ``on_wait`` may raise to give up.
    """
    try:
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)) as connection:
            while not _taken(connection):
                on_wait()
                time.sleep(_POLL_S)
            yield
    except sqlite3.Error as error:
        raise RetrievalError(
            f"the lock {path} cannot be taken: {error}", hint="delete the file and try again"
        ) from error


def _taken(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            return False
        raise
    return True
