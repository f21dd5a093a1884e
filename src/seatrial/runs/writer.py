"""Commits trials as they end, off the event loop."""

from __future__ import annotations

import asyncio
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import NamedTuple, Self

from seatrial.runs.records import TrialRecord
from seatrial.runs.store import RunStore

_MOST_AT_ONCE = 64


class _Job(NamedTuple):
    trial: TrialRecord
    committed: asyncio.Future[None]


class TrialWriter:
    """One thread that writes to one run of a store; trials that wait together share a transaction.

    Between entering and leaving the context the store belongs to the thread: nothing else may use it.
    """

    def __init__(self, store: RunStore, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name="seatrial-run-store", daemon=True)

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._jobs.put(None)
        await asyncio.shield(asyncio.to_thread(self._thread.join))

    async def add(self, trial: TrialRecord) -> None:
        """Returns when the trial is committed. Raises what the store raises."""
        committed: asyncio.Future[None] = self._loop.create_future()
        self._jobs.put(_Job(trial, committed))
        await committed

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            batch = [job]
            is_last = self._fill(batch)
            self._commit(batch)
            if is_last:
                return

    def _fill(self, batch: list[_Job]) -> bool:
        """Adds the jobs that wait already; True when the end was among them."""
        while len(batch) < _MOST_AT_ONCE:
            try:
                job = self._jobs.get_nowait()
            except Empty:
                return False
            if job is None:
                return True
            batch.append(job)
        return False

    def _commit(self, batch: list[_Job]) -> None:
        error: Exception | None = None
        try:
            self._store.add_trials(self._run_id, [job.trial for job in batch])
        except Exception as raised:  # noqa: BLE001 - it is raised again where `add` is awaited
            error = raised
        self._loop.call_soon_threadsafe(_resolve, [job.committed for job in batch], error)


def _resolve(futures: list[asyncio.Future[None]], error: Exception | None) -> None:
    for future in futures:
        if future.done():
            continue
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)
