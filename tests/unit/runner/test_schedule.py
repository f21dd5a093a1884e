from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from seatrial.core.abort import AbortSignal
from seatrial.errors import StoreError
from seatrial.runner import schedule as module
from seatrial.runner.schedule import schedule


async def unexpected(item: object, error: BaseException) -> None:
    raise AssertionError(f"{item} failed with {error!r}")


async def test_no_more_run_at_once_than_allowed_and_all_are_run() -> None:
    now, most, done = 0, 0, []

    async def perform(item: int) -> None:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1
        done.append(item)

    await schedule(range(50), perform, concurrency=7, stop=AbortSignal(), fail=unexpected)
    assert most == 7
    assert sorted(done) == list(range(50))


async def test_work_is_read_as_places_come_free() -> None:
    read = 0

    def work() -> Iterator[int]:
        nonlocal read
        while read < 1000:
            read += 1
            yield read

    async def perform(item: int) -> None:
        assert read - item < 3
        await asyncio.sleep(0)

    await schedule(work(), perform, concurrency=3, stop=AbortSignal(), fail=unexpected)
    assert read == 1000


async def test_p018_after_stop_nothing_new_is_begun_and_what_listens_comes_back() -> None:
    stop, begun, ended = AbortSignal(), [], []

    async def perform(item: int) -> None:
        begun.append(item)
        if item == 1:
            asyncio.get_running_loop().call_soon(stop.set)
        await stop.wait()
        ended.append(item)

    await schedule(range(10), perform, concurrency=2, stop=stop, fail=unexpected)
    assert begun == ended == [0, 1]


async def test_p018_what_does_not_listen_is_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GRACE_S", 0.01)
    stop, cancelled = AbortSignal(), []

    async def perform(item: int) -> None:
        stop.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(item)
            raise

    await asyncio.wait_for(schedule(range(5), perform, concurrency=1, stop=stop, fail=unexpected), timeout=5)
    assert cancelled == [0]


async def test_the_first_exception_ends_everything_and_is_raised() -> None:
    async def perform(item: int) -> None:
        if item == 1:
            raise StoreError("the disk is full")
        await asyncio.Event().wait()

    running = schedule(range(5), perform, concurrency=2, stop=AbortSignal(), fail=unexpected)
    with pytest.raises(StoreError, match="disk is full"):
        await asyncio.wait_for(running, timeout=5)
    assert len(asyncio.all_tasks()) == 1


async def test_cancelling_the_schedule_cancels_what_is_under_way() -> None:
    ended = []

    async def perform(item: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(item)

    task = asyncio.create_task(schedule(range(5), perform, concurrency=2, stop=AbortSignal(), fail=unexpected))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [0, 1]


@pytest.mark.parametrize("error", [asyncio.CancelledError(), SystemExit(0), KeyboardInterrupt()])
async def test_what_foreign_code_does_to_its_own_task_ends_that_item_alone(error: BaseException) -> None:
    done: list[int] = []
    failed: list[tuple[int, BaseException]] = []

    async def perform(item: int) -> None:
        if item == 1:
            raise error
        done.append(item)

    async def fail(item: int, raised: BaseException) -> None:
        failed.append((item, raised))

    await schedule(range(4), perform, concurrency=1, stop=AbortSignal(), fail=fail)
    assert done == [0, 2, 3]
    assert failed == [(1, error)]


async def test_an_item_that_cancels_its_own_task_is_not_taken_for_the_end() -> None:
    done: list[int] = []
    failed: list[int] = []

    async def perform(item: int) -> None:
        if item == 1:
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        await asyncio.sleep(0)
        done.append(item)

    async def fail(item: int, _raised: BaseException) -> None:
        failed.append(item)

    await schedule(range(4), perform, concurrency=1, stop=AbortSignal(), fail=fail)
    assert (done, failed) == ([0, 2, 3], [1])
