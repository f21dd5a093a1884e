"""The run store in one SQLite file."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from seatrial.core.messages import Message
from seatrial.errors import RunError
from seatrial.runs.blobs import blob_hash, put_back, take_out
from seatrial.runs.encoding import pack, to_json, unpack
from seatrial.runs.records import CaseTally, Outcome, RunRecord, Source, Tally, TrialKey, TrialRecord
from seatrial.runs.sqlite_schema import connect, transaction, translated

_run_decoder = msgspec.json.Decoder(RunRecord)
_trial_decoder = msgspec.json.Decoder(TrialRecord)
_messages_decoder = msgspec.json.Decoder(tuple[Message, ...])

_ADD_TRIAL = """
INSERT INTO trials (run, case_index, variant_index, repeat, case_name, variant, outcome, error_kind, has_metric_error,
                    require, cost_usd, requests, input_tokens, output_tokens, head, messages)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (run, case_name, variant, repeat) DO UPDATE SET
  case_index = excluded.case_index, variant_index = excluded.variant_index, outcome = excluded.outcome,
  error_kind = excluded.error_kind, has_metric_error = excluded.has_metric_error, require = excluded.require,
  cost_usd = excluded.cost_usd, requests = excluded.requests, input_tokens = excluded.input_tokens,
  output_tokens = excluded.output_tokens, head = excluded.head, messages = excluded.messages
"""
_TALLY = """
SELECT outcome, count(*), sum(input_tokens), sum(output_tokens), coalesce(sum(cost_usd), 0.0),
       sum(cost_usd IS NULL AND requests > 0), sum(error_kind = 'provider'), sum(has_metric_error)
FROM trials WHERE run = ? GROUP BY outcome
"""

_CASE_TALLIES = """
SELECT case_name, variant, sum(outcome IN ('passed', 'failed', 'errored')), sum(outcome = 'passed'),
       coalesce(sum(error_kind = 'provider'), 0), max(require)
FROM trials WHERE run = ? GROUP BY case_index, variant_index, case_name, variant ORDER BY case_index, variant_index
"""


def open_sqlite(place: str, *, create: bool = True) -> SqliteRunStore:
    """The store at a path, or at ``sqlite://`` and a path."""
    path = Path(place.removeprefix("sqlite://"))
    return SqliteRunStore(path, connect(path, create=create))


class SqliteRunStore:
    """Runs in one SQLite file in WAL mode: what is committed survives the death of the process."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._numbers: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def begin_run(self, run: RunRecord) -> None:
        """Writes a new run, or replaces the record of a known one, and keeps its sources' text."""
        with translated(self.path), transaction(self._connection):
            self._write_run(run)
            number = self._number(run.id)
            for source in run.sources:
                self._keep_blob(number, source.text.encode())

    def end_run(self, run: RunRecord) -> None:
        """Replaces the run's record."""
        with translated(self.path), transaction(self._connection):
            self._write_run(run)

    def add_trials(self, run_id: str, trials: Sequence[TrialRecord]) -> None:
        """Writes finished trials in one transaction."""
        with translated(self.path), transaction(self._connection):
            number = self._number(run_id)
            self._connection.executemany(_ADD_TRIAL, [self._row(number, trial) for trial in trials])

    def run(self, run_id: str) -> RunRecord:
        """The run of exactly this id, with its sources' text."""
        with translated(self.path):
            row = self._connection.execute("SELECT record FROM runs WHERE id = ?", (run_id,)).fetchone()
            if row is None:
                raise RunError(f"there is no stored run {run_id!r}")
            run = _run_decoder.decode(unpack(row[0]))
            return msgspec.structs.replace(run, sources=tuple(self._with_text(source) for source in run.sources))

    def runs(self, limit: int | None = None) -> list[RunRecord]:
        """The newest first."""
        with translated(self.path):
            rows = self._connection.execute(
                "SELECT record FROM runs ORDER BY number DESC LIMIT ?", (-1 if limit is None else limit,)
            )
            return [_run_decoder.decode(unpack(record)) for (record,) in rows]

    def find(self, prefix: str) -> list[str]:
        """Ids that start or end with ``prefix``, the newest first."""
        with translated(self.path):
            rows = self._connection.execute("SELECT id FROM runs ORDER BY number DESC")
            return [run_id for (run_id,) in rows if run_id.startswith(prefix) or run_id.endswith(prefix)]

    def trials(
        self,
        run_id: str,
        *,
        case: str | None = None,
        outcomes: Collection[Outcome] | None = None,
        with_messages: bool = False,
    ) -> Iterator[TrialRecord]:
        """The run's trials in the order of the file, read as they are asked for."""
        conditions = ["run = ?"]
        parameters: list[int | str] = [self._number(run_id)]
        if case is not None:
            conditions.append("case_name = ?")
            parameters.append(case)
        if outcomes is not None:
            conditions.append(f"outcome IN ({', '.join('?' * len(outcomes))})")
            parameters.extend(outcomes)
        with translated(self.path):
            rows = self._connection.execute(
                f"SELECT head, {'messages' if with_messages else 'NULL'} FROM trials "  # noqa: S608 - our own words
                f"WHERE {' AND '.join(conditions)} ORDER BY case_index, variant_index, repeat",
                parameters,
            )
            for head, messages in rows:
                yield self._trial(head, messages)

    def done(self, run_id: str) -> set[TrialKey]:
        """The keys of the trials that have run."""
        with translated(self.path):
            rows = self._connection.execute(
                "SELECT case_name, variant, repeat FROM trials WHERE run = ? AND outcome <> 'not_run'",
                (self._number(run_id),),
            )
            return {TrialKey(*row) for row in rows}

    def tally(self, run_id: str) -> Tally:
        """Counts and sums over the run's trials."""
        with translated(self.path):
            rows = self._connection.execute(_TALLY, (self._number(run_id),)).fetchall()
        counts = {row[0]: row[1] for row in rows}
        return Tally(
            **counts,
            input_tokens=sum(row[2] for row in rows),
            output_tokens=sum(row[3] for row in rows),
            cost_usd=sum(row[4] for row in rows),
            unknown_costs=sum(row[5] for row in rows),
            provider_errors=sum(row[6] or 0 for row in rows),
            metric_errors=sum(row[7] for row in rows),
        )

    def case_tallies(self, run_id: str) -> list[CaseTally]:
        """The tally by case and variant, in the order of the file."""
        with translated(self.path):
            return [CaseTally(*row) for row in self._connection.execute(_CASE_TALLIES, (self._number(run_id),))]

    def delete_run(self, run_id: str) -> None:
        """Removes the run, its trials, and the contents that no other run uses."""
        with translated(self.path), transaction(self._connection):
            self._connection.execute("DELETE FROM runs WHERE number = ?", (self._number(run_id),))
            self._connection.execute("DELETE FROM blobs WHERE hash NOT IN (SELECT hash FROM blob_uses)")
        self._numbers.pop(run_id, None)

    def compact(self) -> None:
        """Rewrites the file without the space of what was deleted."""
        with translated(self.path):
            self._connection.execute("VACUUM")

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

    def _write_run(self, run: RunRecord) -> None:
        bare = tuple(Source(s.path, s.sha256, f"blob:{blob_hash(s.text.encode())}") for s in run.sources)
        self._connection.execute(
            "INSERT INTO runs (id, record) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record",
            (run.id, pack(to_json(msgspec.structs.replace(run, sources=bare)))),
        )

    def _number(self, run_id: str) -> int:
        number = self._numbers.get(run_id)
        if number is None:
            row = self._connection.execute("SELECT number FROM runs WHERE id = ?", (run_id,)).fetchone()
            if row is None:
                raise RunError(f"there is no stored run {run_id!r}")
            number = self._numbers[run_id] = int(row[0])
        return number

    def _row(self, number: int, trial: TrialRecord) -> tuple[int | float | str | bytes | None, ...]:
        messages = take_out(trial.messages, lambda content: self._keep_blob(number, content))
        return (
            number,
            trial.case_index,
            trial.variant_index,
            trial.repeat,
            trial.case,
            trial.variant,
            trial.outcome,
            None if trial.error is None else trial.error.kind,
            any(score.outcome == "error" for score in trial.scores),
            trial.require,
            trial.cost_usd,
            trial.usage.requests,
            trial.usage.input_tokens,
            trial.usage.output_tokens,
            pack(to_json(msgspec.structs.replace(trial, messages=()))),
            pack(to_json(messages)),
        )

    def _trial(self, head: bytes, messages: bytes | None) -> TrialRecord:
        trial = _trial_decoder.decode(unpack(head))
        if messages is None:
            return trial
        whole = put_back(_messages_decoder.decode(unpack(messages)), self._blob)
        return msgspec.structs.replace(trial, messages=whole)

    def _keep_blob(self, number: int, content: bytes) -> str:
        name = blob_hash(content)
        self._connection.execute("INSERT OR IGNORE INTO blob_uses (run, hash) VALUES (?, ?)", (number, name))
        known = self._connection.execute("SELECT 1 FROM blobs WHERE hash = ?", (name,)).fetchone()
        if known is None:
            self._connection.execute("INSERT INTO blobs (hash, content) VALUES (?, ?)", (name, zlib.compress(content)))
        return name

    def _blob(self, name: str) -> bytes:
        row = self._connection.execute("SELECT content FROM blobs WHERE hash = ?", (name,)).fetchone()
        if row is None:
            raise RunError(f"a stored content is missing ({name[:12]})", hint="the run store is damaged")
        return zlib.decompress(row[0])

    def _with_text(self, source: Source) -> Source:
        return msgspec.structs.replace(source, text=self._blob(source.text.removeprefix("blob:")).decode())
