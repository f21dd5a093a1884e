"""The run store in a PostgreSQL database: one for a team, written to from any number of machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from urllib.parse import urlsplit

from seatrial.errors import MissingExtraError, StoreError
from seatrial.runs.sql import Row, SqlRunStore, Value

try:
    import psycopg
except ImportError as error:
    raise MissingExtraError("postgres", "a run store in PostgreSQL") from error

_SCHEMA = "seatrial_runs"
_SETUP_LOCK = 7_237_147  # several machines may open a new store at once; only one of them makes the tables
_CONNECT_TIMEOUT_S = 10
_FETCHED_AT_ONCE = 500

# Step n leads from version n to version n + 1; a released step is never changed, a new one is added.
STEPS: tuple[str, ...] = (
    """
    CREATE TABLE runs (
      number bigserial PRIMARY KEY,
      id text NOT NULL UNIQUE,
      record bytea NOT NULL);
    CREATE TABLE trials (
      number bigserial PRIMARY KEY,
      run bigint NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
      case_index int NOT NULL,
      variant_index int NOT NULL,
      repeat int NOT NULL,
      case_name text NOT NULL,
      variant text NOT NULL,
      outcome text NOT NULL,
      error_kind text,
      has_metric_error int NOT NULL,
      require int,
      cost_usd double precision,
      requests bigint NOT NULL,
      input_tokens bigint NOT NULL,
      output_tokens bigint NOT NULL,
      head bytea NOT NULL,
      messages bytea NOT NULL,
      UNIQUE (run, case_name, variant, repeat));
    CREATE INDEX trials_in_order ON trials (run, case_index, variant_index, repeat);
    CREATE TABLE blobs (hash text PRIMARY KEY, content bytea NOT NULL);
    CREATE TABLE blob_uses (
      run bigint NOT NULL REFERENCES runs (number) ON DELETE CASCADE,
      hash text NOT NULL,
      PRIMARY KEY (run, hash));
    """,
)


def open_postgres(place: str, *, create: bool = True) -> PostgresRunStore:
    """The store at a ``postgresql://`` URL; its tables are made when they are missing."""
    del create  # a database that answers is a store
    shown = _without_password(place)
    with _translated(shown):
        connection: psycopg.Connection[Row] = psycopg.connect(
            place, autocommit=True, connect_timeout=_CONNECT_TIMEOUT_S
        )
        try:
            _set_up(connection, shown)
        except BaseException:
            connection.close()
            raise
    return PostgresRunStore(shown, connection)


class PostgresRunStore(SqlRunStore):
    """Runs in a schema of their own in one database."""

    def __init__(self, place: str, connection: psycopg.Connection[Row]) -> None:
        self.place = place
        self._connection = connection
        self._numbers = {}
        self._cursors = count()

    def compact(self) -> None:
        """Gives the space of what was deleted back to the database."""
        with self._reading():
            self._connection.execute("VACUUM runs, trials, blobs, blob_uses")

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()

    def _reading(self) -> AbstractContextManager[None]:
        return _translated(self.place)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with _translated(self.place), self._connection.transaction():
            yield

    def _rows(self, statement: str, values: Sequence[Value] = ()) -> Iterable[Row]:
        with self._connection.cursor() as cursor:
            return cursor.execute(_own(statement), values).fetchall()

    def _long_rows(self, statement: str, values: Sequence[Value] = ()) -> Iterator[Row]:
        with self._connection.cursor(name=f"rows_{next(self._cursors)}", withhold=True) as cursor:
            cursor.itersize = _FETCHED_AT_ONCE
            cursor.execute(_own(statement), values)
            yield from cursor

    def _do(self, statement: str, rows: Sequence[Sequence[Value]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(_own(statement), rows)


def _own(statement: str) -> bytes:
    return statement.replace("%", "%%").replace("?", "%s").encode()


def _set_up(connection: psycopg.Connection[Row], shown: str) -> None:
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [_SETUP_LOCK])
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {_SCHEMA}".encode())
        connection.execute(f"SET LOCAL search_path TO {_SCHEMA}".encode())
        connection.execute("CREATE TABLE IF NOT EXISTS version (number int NOT NULL)")
        row = connection.execute("SELECT number FROM version").fetchone()
        version = 0 if row is None else int(row[0])
        if version > len(STEPS):
            raise StoreError(
                f"the run store at {shown} was written by a newer seatrial (version {version})", hint="upgrade seatrial"
            )
        for step in STEPS[version:]:
            connection.execute(step.encode())
        if version < len(STEPS):
            connection.execute("DELETE FROM version")
            connection.execute("INSERT INTO version (number) VALUES (%s)", [len(STEPS)])
    connection.execute(f"SET search_path TO {_SCHEMA}".encode())


@contextmanager
def _translated(shown: str) -> Iterator[None]:
    """Turns what the database says into a `StoreError` that names it without its password."""
    try:
        yield
    except psycopg.Error as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise StoreError(
            f"the run store at {shown} failed: {said}",
            hint="what is finished is kept; see that the database can be reached and written, then go on",
        ) from error


def _without_password(place: str) -> str:
    parts = urlsplit(place)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"
