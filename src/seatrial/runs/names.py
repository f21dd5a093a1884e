"""The names of stored runs, for those who only need these at once: nothing but SQLite is loaded."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def newest_names(file: Path, limit: int) -> list[str]:
    """The ids of the newest runs in a store's file, the newest first; none when it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=0.2)) as connection:
            rows = connection.execute("SELECT id FROM runs ORDER BY number DESC LIMIT ?", (limit,))
            return [str(name) for (name,) in rows]
    except sqlite3.Error:
        return []
