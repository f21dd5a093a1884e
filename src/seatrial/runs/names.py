"""Where runs are kept and how they are called, for those who need only that, at once: nothing but SQLite is loaded."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def store_file(agent_folder: Path) -> Path:
    """Where the runs of the agents in this folder are kept."""
    return agent_folder / ".seatrial" / "runs.db"


def newest_names(file: Path, limit: int) -> list[str]:
    """The ids of the newest runs in a store's file, the newest first; none when it cannot be read."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=0.2)) as connection:
            rows = connection.execute("SELECT id FROM runs ORDER BY number DESC LIMIT ?", (limit,))
            return [str(name) for (name,) in rows]
    except sqlite3.Error:
        return []
