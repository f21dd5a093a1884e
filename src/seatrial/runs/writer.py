"""Commits trials as they end, off the event loop."""

from __future__ import annotations

import asyncio
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import NamedTuple, Self

from seatrial.runs.records import TrialRecord
from seatrial.runs.store import RunStore


class _Job(NamedTuple):
    trial: TrialRecord
    committed: asyncio.Future[None]


class TrialWriter:
    """One thread that writes to one run of a store; trials that end at the same moment share a transaction.

    Between entering and leaving the context the store belongs to the thread: nothing else may use it.
    """

    def __init__(self, store: RunStore, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        self._ended: list[_Job] = []
        self._batches: SimpleQueue[list[_Job]] = SimpleQueue()
        self._thread = Thread(target=self._work, name="seatrial-run-store", daemon=True)

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hand_over()
        self._batches.put([])
        await asyncio.shield(asyncio.to_thread(self._thread.join))

    async def add(self, trial: TrialRecord) -> None:
        """Returns when the trial is committed. Raises what the store raises."""
        committed: asyncio.Future[None] = self._loop.create_future()
        if not self._ended:  # what else ends in this turn of the event loop goes along: waking a thread is dear
            self._loop.call_soon(self._hand_over)
        self._ended.append(_Job(trial, committed))
        await committed

    def _hand_over(self) -> None:
        if self._ended:
            self._batches.put(self._ended)
            self._ended = []

    def _work(self) -> None:
        while batch := self._batches.get():
            self._commit(batch)

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
