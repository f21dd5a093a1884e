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


async def test_a_trial_is_on_disk_when_it_is_told(
    store: RunStore, a_run: MakeRun, a_trial: MakeTrial, tmp_path: Path
) -> None:
    store.begin_run(a_run("r"))
    seen: list[int] = []

    def look(_trial: TrialRecord) -> None:
        with open_store(tmp_path / ".seatrial" / "runs.db") as second:
            seen.append(second.tally("r").passed)

    async with TrialWriter(store, "r") as writer:
        await writer.add(a_trial(0), look)
    assert seen == [1]


async def test_many_at_once_are_all_written_and_told(store: RunStore, a_run: MakeRun, a_trial: MakeTrial) -> None:
    store.begin_run(a_run("r"))
    told: list[int] = []
    async with TrialWriter(store, "r") as writer:
        await asyncio.gather(
            *(writer.add(a_trial(index), lambda trial: told.append(trial.case_index)) for index in range(600))
        )
    assert store.tally("r").passed == 600
    assert sorted(told) == list(range(600))


async def test_what_was_handed_over_is_written_even_if_its_sender_is_cancelled(
    store: RunStore, a_run: MakeRun, a_trial: MakeTrial
) -> None:
    store.begin_run(a_run("r"))
    async with TrialWriter(store, "r") as writer:
        sender = asyncio.create_task(writer.add(a_trial(0), lambda _trial: None))
        await asyncio.sleep(0)
        sender.cancel()
    assert store.tally("r").passed == 1


async def test_a_failing_store_is_told_at_the_end_at_the_latest(
    store: RunStore, a_run: MakeRun, a_trial: MakeTrial
) -> None:
    store.begin_run(a_run("r"))
    store._connection.execute("PRAGMA max_page_count = 1")
    told: list[TrialRecord] = []
    with pytest.raises(StoreError, match="disk is full"):
        async with TrialWriter(store, "r") as writer:
            await writer.add(a_trial(0, output="x" + "".join(map(str, range(100_000)))), told.append)
    assert told == []
