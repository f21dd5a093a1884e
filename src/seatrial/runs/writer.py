"""Commits trials as they end, off the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Thread
from types import TracebackType
from typing import NamedTuple, Self

from seatrial.runs.records import TrialRecord
from seatrial.runs.store import RunStore

_MOST_WAITING = 64
_GATHERED_S = 0.005  # waking a thread and committing cost more than the trial itself

TrialListener = Callable[[TrialRecord], None]


class _Job(NamedTuple):
    trial: TrialRecord
    on_committed: TrialListener


class TrialWriter:
    """One thread that writes to one run of a store; trials that end within 5 ms of each other share a transaction.

    Between entering and leaving the context the store belongs to the thread: nothing else may use it. Leaving waits
    until all is committed, and raises what the store raised.
    """

    def __init__(self, store: RunStore, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name="seatrial-run-store", daemon=True)
        self._is_ending = Event()
        self._waiting = 0
        self._has_room = asyncio.Event()
        self._error: Exception | None = None
        self._is_broken = False

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_ending.set()
        self._jobs.put(None)
        await asyncio.shield(asyncio.to_thread(self._thread.join))
        if kind is None:
            self._raise_error()

    async def add(self, trial: TrialRecord, on_committed: TrialListener) -> None:
        """Hands a trial over; ``on_committed`` is called with it in the event loop once it is on disk.

        Comes back at once, unless very many wait already. Raises what the store raised, for an earlier trial too.
        """
        self._raise_error()
        self._waiting += 1
        self._jobs.put(_Job(trial, on_committed))
        while self._waiting > _MOST_WAITING and self._error is None:
            self._has_room.clear()
            await self._has_room.wait()

    def _raise_error(self) -> None:
        if self._error is not None:
            raise self._error

    def _work(self) -> None:
        is_open = True
        while is_open:
            batch = [self._jobs.get()]
            if batch[0] is not None:
                self._is_ending.wait(_GATHERED_S)
            while not self._jobs.empty():
                batch.append(self._jobs.get())
            is_open = batch[-1] is not None
            jobs = [job for job in batch if job is not None]
            if jobs:
                self._commit(jobs)

    def _commit(self, jobs: list[_Job]) -> None:
        if self._is_broken:
            return
        error = self._stored(jobs)
        if error is not None and len(jobs) > 1:  # what still fits is kept: one by one, up to the one that fails
            for job in jobs:
                error = self._stored([job])
                if error is not None:
                    break
                self._loop.call_soon_threadsafe(self._told, [job], None)
                jobs = jobs[1:]
        self._is_broken = error is not None
        self._loop.call_soon_threadsafe(self._told, jobs, error)

    def _stored(self, jobs: list[_Job]) -> Exception | None:
        try:
            self._store.add_trials(self._run_id, [job.trial for job in jobs])
        except Exception as error:  # noqa: BLE001 - it is raised again in the event loop
            return error
        return None

    def _told(self, jobs: list[_Job], error: Exception | None) -> None:
        self._waiting -= len(jobs)
        self._error = self._error or error
        self._has_room.set()
        if error is None:
            for job in jobs:
                job.on_committed(job.trial)
