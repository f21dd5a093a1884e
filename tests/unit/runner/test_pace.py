from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.runner.pace import Pace


async def test_it_begins_gently_and_grows_while_all_goes_well() -> None:
    pace, now, most = Pace(32), 0, [0]

    async def trial(number: int) -> None:
        nonlocal now
        async with pace.turn():
            now += 1
            most.append(max(most[-1], now))
            await asyncio.sleep(0)
            now -= 1

    await asyncio.gather(*(trial(number) for number in range(8)))
    assert most[-1] == 8
    await asyncio.gather(*(trial(number) for number in range(200)))
    assert 8 < most[-1] <= 32
    assert pace.allowed == 32


async def test_a_crowd_that_is_held_back_together_halves_once() -> None:
    pace = Pace(32)
    pace.allowed = 16
    numbers = [await pace.begin() for _ in range(16)]
    for number in numbers:
        pace.end(number, was_held_back=True)
    assert pace.allowed == 8
    pace.end(await pace.begin(), was_held_back=True)
    assert pace.allowed == 4


async def test_replies_that_take_twice_as_long_as_usual_ease_it() -> None:
    pace = Pace(32)
    for _ in range(100):
        pace.end(await pace.begin(), was_held_back=False, latency_s=1.0)
    assert pace.allowed == 32
    for _ in range(30):
        pace.end(await pace.begin(), was_held_back=False, latency_s=6.0)
    assert pace.allowed < 16


async def test_slow_replies_that_stay_slow_become_the_usual() -> None:
    pace = Pace(32)
    for latency_s in (1.0,) * 100 + (6.0,) * 400:
        pace.end(await pace.begin(), was_held_back=False, latency_s=latency_s)
    assert pace.allowed == 32


async def test_what_takes_less_than_a_second_is_not_slow() -> None:
    pace = Pace(32)
    for latency_s in (0.01,) * 100 + (0.9,) * 100:
        pace.end(await pace.begin(), was_held_back=False, latency_s=latency_s)
    assert pace.allowed == 32


async def test_one_trial_may_always_run() -> None:
    pace = Pace(8)
    for _ in range(10):
        pace.end(await asyncio.wait_for(pace.begin(), timeout=5), was_held_back=True)
    assert pace.allowed == 1


async def test_who_gives_up_waiting_takes_no_place() -> None:
    pace = Pace(1)
    number = await pace.begin()
    waiting = asyncio.create_task(pace.begin())
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    pace.end(number, was_held_back=False)
    await asyncio.wait_for(pace.begin(), timeout=5)


@given(st.lists(st.booleans(), max_size=60), st.integers(1, 12))
def test_never_more_than_the_most_and_never_stuck(held_back: list[bool], most: int) -> None:
    async def run() -> None:
        pace, now = Pace(most), 0

        async def trial(is_held_back: bool) -> None:
            nonlocal now
            async with pace.turn() as turn:
                now += 1
                assert now <= most
                await asyncio.sleep(0)
                turn.was_held_back = is_held_back
                now -= 1

        await asyncio.wait_for(asyncio.gather(*map(trial, held_back)), timeout=10)

    asyncio.run(run())
