"""Blocking functions off the event loop."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import threading

import pytest

from seatrial.core import threads
from seatrial.core.threads import in_thread


async def test_an_idle_thread_is_used_again() -> None:
    used = [await in_thread(threading.get_ident) for _ in range(20)]
    assert len(set(used)) < len(used)
    assert threading.get_ident() not in used


async def test_a_blocked_thread_keeps_nobody_waiting() -> None:
    release = threading.Event()
    blocked = [asyncio.ensure_future(in_thread(release.wait, 10)) for _ in range(40)]
    assert await asyncio.wait_for(in_thread(lambda: "free"), 10) == "free"
    release.set()
    assert all(await asyncio.gather(*blocked))


async def test_each_call_sees_the_context_of_its_caller_and_leaves_none_behind() -> None:
    variable = contextvars.ContextVar("variable", default="unset")

    def look() -> str:
        seen = variable.get()
        variable.set("left behind")
        return seen

    variable.set("caller's")
    assert [await in_thread(look) for _ in range(3)] == ["caller's"] * 3
    assert variable.get() == "caller's"


async def test_a_thread_outlives_what_its_functions_raise() -> None:
    for error in (ValueError("no"), SystemExit(3), KeyboardInterrupt()):

        def fail(error: BaseException = error) -> None:
            raise error

        with pytest.raises(type(error)):
            await in_thread(fail)
    assert await in_thread(lambda: "well") == "well"


async def test_a_thread_that_is_idle_for_long_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "IDLE_S", 0.01)
    monkeypatch.setattr(threads, "_idle", [])
    thread = await in_thread(threading.current_thread)
    await asyncio.to_thread(thread.join, 10)
    assert not thread.is_alive()
    assert await in_thread(lambda: "another") == "another"


def test_a_program_ends_although_a_function_still_blocks() -> None:
    program = """
import asyncio, time
from seatrial.core.threads import in_thread

async def main():
    asyncio.ensure_future(in_thread(time.sleep, 60))
    await in_thread(time.sleep, 0)

asyncio.run(main())
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=30, check=False).returncode == 0
