"""The SQLite file: how it is opened, its tables, and the steps from one version of them to the next."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from seatrial.errors import RunError, StoreError

BUSY_TIMEOUT_S = 15.0

# Step n leads from version n to version n + 1; a released step is never changed, a new one is added.
STEPS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE runs (
             number INTEGER PRIMARY KEY,
             id TEXT NOT NULL UNIQUE,
             record BLOB NOT NULL)""",
        """CREATE TABLE trials (
             number INTEGER PRIMARY KEY,
             run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
             case_index INTEGER NOT NULL,
             variant_index INTEGER NOT NULL,
             repeat INTEGER NOT NULL,
             case_name TEXT NOT NULL,
             variant TEXT NOT NULL,
             outcome TEXT NOT NULL,
             error_kind TEXT,
             has_metric_error INTEGER NOT NULL,
             cost_usd REAL,
             requests INTEGER NOT NULL,
             input_tokens INTEGER NOT NULL,
             output_tokens INTEGER NOT NULL,
             head BLOB NOT NULL,
             messages BLOB NOT NULL,
             UNIQUE (run, case_name, variant, repeat))""",
        "CREATE INDEX trials_in_order ON trials (run, case_index, variant_index, repeat)",
        "CREATE TABLE blobs (hash TEXT PRIMARY KEY, content BLOB NOT NULL)",
        """CREATE TABLE blob_uses (
             run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
             hash TEXT NOT NULL,
             PRIMARY KEY (run, hash)) WITHOUT ROWID""",
    ),
    ("ALTER TABLE trials ADD COLUMN require INTEGER",),
)


def connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """An open connection to a file of the newest version. Raises `RunError` or `StoreError`."""
    if not create and not path.exists():
        raise RunError(f"no run is stored here: {path} does not exist", hint="`seatrial test` stores each run there")
    with translated(path):
        if create:
            _make_folder(path.parent)
        connection = sqlite3.connect(
            _address(path), uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        try:
            _configure(connection)
            _migrate(connection, path)
        except (sqlite3.Error, StoreError):
            connection.close()
            raise
    return connection


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turns what SQLite and the file system say into a `StoreError` that names the file and the mend."""
    try:
        yield
    except sqlite3.Error as error:
        message, hint = _explained(error, path)
        raise StoreError(message, hint=hint) from error
    except OSError as error:
        raise StoreError(
            f"the run store {path} cannot be used: {error.strerror or error}",
            hint="results must be stored as they finish; make the folder writable",
        ) from error


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One committed transaction, or none of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _make_folder(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if folder.name == ".seatrial" and not ignore.exists():
        ignore.write_text("*\n", encoding="utf-8")


def _address(path: Path) -> str:
    uri = path.absolute().as_uri()
    if not path.exists() or os.access(path, os.W_OK):
        return uri
    has_log = path.with_name(f"{path.name}-wal").exists()
    return f"{uri}?mode=ro" if has_log else f"{uri}?mode=ro&immutable=1"


def _configure(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        _switch_to_wal(connection)


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """SQLite does not wait by itself for this one step when two processes open a new file at once."""
    give_up = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith("SQLITE_BUSY") or time.monotonic() > give_up:
                raise
        time.sleep(0.02)


def _version(connection: sqlite3.Connection) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    newest = len(STEPS)
    if _version(connection) == newest:
        return
    with transaction(connection):
        version = _version(connection)
        if version > newest:
            raise StoreError(
                f"{path} was written by a newer seatrial (version {version} of the store, this one knows {newest})",
                hint="upgrade seatrial, or move the file away to start a new one",
            )
        for step in STEPS[version:]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {newest}")


def _explained(error: sqlite3.Error, path: Path) -> tuple[str, str]:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_FULL"):
        return f"the disk is full: {path} cannot grow", "what is finished is kept; free some space, then go on"
    if name.startswith("SQLITE_IOERR_WRITE"):
        return (
            f"{path} cannot grow: {error}",
            "what is finished is kept; look for a quota, a limit on file sizes or a failing disk, then go on",
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return f"the run store {path} cannot be written", "make the file and its folder writable"
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return (
            f"another program has been holding {path} for {BUSY_TIMEOUT_S:.0f} s",
            "what is finished is kept; end the other program, then go on",
        )
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        return f"{path} is damaged or no run store: {error}", "move it away; the next run starts a new one"
    return f"the run store {path} failed: {error}", "what is finished is kept"
