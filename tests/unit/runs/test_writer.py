from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from seatrial.errors import StoreError
from seatrial.runs.records import RunRecord, TrialRecord
from seatrial.runs.store import RunStore, open_store
from seatrial.runs.writer import TrialWriter

MakeRun = Callable[..., RunRecord]
MakeTrial = Callable[..., TrialRecord]


async def test_a_trial_is_committed_when_add_returns(
    store: RunStore, a_run: MakeRun, a_trial: MakeTrial, tmp_path: Path
) -> None:
    store.begin_run(a_run("r"))
    async with TrialWriter(store, "r") as writer:
        await writer.add(a_trial(0))
        with open_store(tmp_path / ".seatrial" / "runs.db") as second:
            assert second.tally("r").passed == 1


async def test_many_at_once_are_all_written(store: RunStore, a_run: MakeRun, a_trial: MakeTrial) -> None:
    store.begin_run(a_run("r"))
    async with TrialWriter(store, "r") as writer:
        await asyncio.gather(*(writer.add(a_trial(index)) for index in range(300)))
    assert store.tally("r").passed == 300


async def test_what_was_handed_over_is_written_even_if_its_sender_is_cancelled(
    store: RunStore, a_run: MakeRun, a_trial: MakeTrial
) -> None:
    store.begin_run(a_run("r"))
    async with TrialWriter(store, "r") as writer:
        sender = asyncio.create_task(writer.add(a_trial(0)))
        await asyncio.sleep(0)
        sender.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sender
    assert store.tally("r").passed == 1


async def test_a_failing_store_is_told_to_the_sender(store: RunStore, a_run: MakeRun, a_trial: MakeTrial) -> None:
    store.begin_run(a_run("r"))
    store._connection.execute("PRAGMA max_page_count = 1")
    async with TrialWriter(store, "r") as writer:
        with pytest.raises(StoreError, match="disk is full"):
            await writer.add(a_trial(0, output="x" + "".join(map(str, range(100_000)))))
