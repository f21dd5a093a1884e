"""What all run stores in SQL databases share: the statements, and the way between records and rows."""

from __future__ import annotations

import sys
import zlib
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Protocol, Self

import msgspec

from seatrial.core.messages import Message
from seatrial.errors import RunError
from seatrial.runs.blobs import blob_hash, put_back, take_out
from seatrial.runs.encoding import pack, to_json, unpack
from seatrial.runs.records import CaseTally, Outcome, RunRecord, Source, Tally, TrialKey, TrialRecord

Value = int | float | str | bytes | None
Row = tuple[Any, ...]

_run_decoder = msgspec.json.Decoder(RunRecord)
_trial_decoder = msgspec.json.Decoder(TrialRecord)
_messages_decoder = msgspec.json.Decoder(tuple[Message, ...])

ROW_OF_TRIAL = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_TRIAL = """
INSERT INTO trials (run, case_index, variant_index, repeat, case_name, variant, outcome, error_kind, has_metric_error,
                    require, cost_usd, requests, input_tokens, output_tokens, head, messages)
VALUES (row)
ON CONFLICT (run, case_name, variant, repeat) DO UPDATE SET
  case_index = excluded.case_index, variant_index = excluded.variant_index, outcome = excluded.outcome,
  error_kind = excluded.error_kind, has_metric_error = excluded.has_metric_error, require = excluded.require,
  cost_usd = excluded.cost_usd, requests = excluded.requests, input_tokens = excluded.input_tokens,
  output_tokens = excluded.output_tokens, head = excluded.head, messages = excluded.messages
""".replace("(row)", ROW_OF_TRIAL)
_WRITE_RUN = "INSERT INTO runs (id, record) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET record = excluded.record"
_TALLY = """
SELECT outcome, count(*), sum(input_tokens), sum(output_tokens), coalesce(sum(cost_usd), 0.0),
       count(*) FILTER (WHERE cost_usd IS NULL AND requests > 0), count(*) FILTER (WHERE error_kind = 'provider'),
       sum(has_metric_error)
FROM trials WHERE run = ? GROUP BY outcome
"""
_CASE_TALLIES = """
SELECT case_name, variant, count(*) FILTER (WHERE outcome IN ('passed', 'failed', 'errored')),
       count(*) FILTER (WHERE outcome = 'passed'), count(*) FILTER (WHERE error_kind = 'provider'), max(require)
FROM trials WHERE run = ? GROUP BY case_index, variant_index, case_name, variant ORDER BY case_index, variant_index
"""


class SqlRunStore(Protocol):
    """A run store on top of a few acts that each database does its own way; ``?`` stands for a value."""

    _numbers: dict[str, int]

    @abstractmethod
    def _reading(self) -> AbstractContextManager[None]:
        """Turns the database's errors into `StoreError`."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[None]:
        """One transaction, with the same translation of errors."""

    @abstractmethod
    def _rows(self, statement: str, values: Sequence[Value] = ()) -> Iterable[Row]:
        """The rows of a query."""

    def _long_rows(self, statement: str, values: Sequence[Value] = ()) -> Iterable[Row]:
        """As `_rows`, for a query whose rows must not be in memory all at once; others may be asked meanwhile."""
        return self._rows(statement, values)

    @abstractmethod
    def _do(self, statement: str, rows: Sequence[Sequence[Value]]) -> None:
        """The statement once for each row of values."""

    def _add_rows(self, statement: str, rows: Sequence[Sequence[Value]]) -> None:
        """As `_do`, for many trials at once."""
        self._do(statement, rows)

    @abstractmethod
    def close(self) -> None:
        """Lets go of the database."""

    @property
    def is_gone(self) -> bool:
        """Whether somebody removed it while it was open: what is written into it then is lost."""
        return False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def begin_run(self, run: RunRecord) -> None:
        """Writes a new run, or replaces the record of a known one, and keeps its sources' text."""
        with self._writing():
            self._write_run(run)
            number = self._number(run.id)
            for source in run.sources:
                self._keep_blob(number, source.text.encode())

    def end_run(self, run: RunRecord) -> None:
        """Replaces the run's record."""
        with self._writing():
            self._write_run(run)

    def add_trials(self, run_id: str, trials: Sequence[TrialRecord]) -> None:
        """Writes finished trials in one transaction."""
        with self._writing():
            number = self._number(run_id)
            self._add_rows(_ADD_TRIAL, [self._row(number, trial) for trial in trials])

    def run(self, run_id: str) -> RunRecord:
        """The run of exactly this id, with its sources' text."""
        with self._reading():
            row = next(iter(self._rows("SELECT record FROM runs WHERE id = ?", [run_id])), None)
            if row is None:
                raise RunError(f"there is no stored run {run_id!r}")
            run = _run_decoder.decode(unpack(row[0]))
            return msgspec.structs.replace(run, sources=tuple(self._with_text(source) for source in run.sources))

    def runs(self, limit: int | None = None) -> list[RunRecord]:
        """The newest first."""
        newest = "SELECT record FROM runs ORDER BY number DESC"
        with self._reading():
            rows = self._rows(newest) if limit is None else self._rows(f"{newest} LIMIT ?", [limit])
            return [_run_decoder.decode(unpack(record)) for (record,) in rows]

    def find(self, prefix: str) -> list[str]:
        """Ids that start or end with ``prefix``, the newest first."""
        with self._reading():
            rows = self._rows("SELECT id FROM runs ORDER BY number DESC")
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
        values: list[Value] = [self._number(run_id)]
        if case is not None:
            conditions.append("case_name = ?")
            values.append(case)
        if outcomes is not None:
            conditions.append(f"outcome IN ({', '.join('?' * len(outcomes))})")
            values.extend(outcomes)
        columns = "head, messages" if with_messages else "head, NULL"
        query = f"SELECT {columns} FROM trials WHERE {' AND '.join(conditions)}"  # noqa: S608 - our own words
        with self._reading():
            for head, messages in self._long_rows(f"{query} ORDER BY case_index, variant_index, repeat", values):
                yield self._trial(head, messages)

    def done(self, run_id: str) -> set[TrialKey]:
        """The keys of the trials that have run."""
        query = "SELECT case_name, variant, repeat FROM trials WHERE run = ? AND outcome <> 'not_run'"
        with self._reading():
            rows = self._rows(query, [self._number(run_id)])
            return {TrialKey(sys.intern(case), sys.intern(variant), repeat) for case, variant, repeat in rows}

    def tally(self, run_id: str) -> Tally:
        """Counts and sums over the run's trials."""
        with self._reading():
            rows = list(self._rows(_TALLY, [self._number(run_id)]))
        return Tally(
            **{row[0]: row[1] for row in rows},
            input_tokens=sum(int(row[2]) for row in rows),
            output_tokens=sum(int(row[3]) for row in rows),
            cost_usd=sum(float(row[4]) for row in rows),
            unknown_costs=sum(row[5] for row in rows),
            provider_errors=sum(row[6] for row in rows),
            metric_errors=sum(int(row[7]) for row in rows),
        )

    def case_tallies(self, run_id: str) -> list[CaseTally]:
        """The tally by case and variant, in the order of the file."""
        with self._reading():
            rows = self._rows(_CASE_TALLIES, [self._number(run_id)])
            return [CaseTally(sys.intern(case), sys.intern(variant), *counts) for case, variant, *counts in rows]

    def delete_run(self, run_id: str) -> None:
        """Removes the run, its trials, and the contents that no other run uses."""
        with self._writing():
            self._do("DELETE FROM runs WHERE number = ?", [[self._number(run_id)]])
            self._do("DELETE FROM blobs WHERE hash NOT IN (SELECT hash FROM blob_uses)", [[]])
        self._numbers.pop(run_id, None)

    def _write_run(self, run: RunRecord) -> None:
        bare = tuple(Source(s.path, s.sha256, f"blob:{blob_hash(s.text.encode())}") for s in run.sources)
        self._do(_WRITE_RUN, [[run.id, pack(to_json(msgspec.structs.replace(run, sources=bare)))]])

    def _number(self, run_id: str) -> int:
        number = self._numbers.get(run_id)
        if number is None:
            row = next(iter(self._rows("SELECT number FROM runs WHERE id = ?", [run_id])), None)
            if row is None:
                raise RunError(f"there is no stored run {run_id!r}")
            number = self._numbers[run_id] = int(row[0])
        return number

    def _row(self, number: int, trial: TrialRecord) -> Sequence[Value]:
        spent = trial.total
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
            int(any(score.outcome == "error" for score in trial.scores)),
            trial.require,
            spent.cost_usd,
            spent.usage.requests,
            spent.usage.input_tokens,
            spent.usage.output_tokens,
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
        self._do("INSERT INTO blob_uses (run, hash) VALUES (?, ?) ON CONFLICT DO NOTHING", [[number, name]])
        if not list(self._rows("SELECT 1 FROM blobs WHERE hash = ?", [name])):
            insert = "INSERT INTO blobs (hash, content) VALUES (?, ?) ON CONFLICT DO NOTHING"
            self._do(insert, [[name, zlib.compress(content)]])
        return name

    def _blob(self, name: str) -> bytes:
        row = next(iter(self._rows("SELECT content FROM blobs WHERE hash = ?", [name])), None)
        if row is None:
            raise RunError(f"a stored content is missing ({name[:12]})", hint="the run store is damaged")
        return zlib.decompress(row[0])

    def _with_text(self, source: Source) -> Source:
        return msgspec.structs.replace(source, text=self._blob(source.text.removeprefix("blob:")).decode())
