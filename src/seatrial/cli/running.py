"""The one door from a command to asynchronous work, and the way out of it by Ctrl-C."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine
from importlib.util import find_spec
from typing import Any

from seatrial.cli.terminal import ends_told, interruptible
from seatrial.core.abort import AbortSignal
from seatrial.errors import SeatrialError
from seatrial.runs.verdict import INTERRUPTED

# What a run makes dies young and holds no circles: looking for them after every 700 new objects costs 5 % of the time.
_COLLECT_AFTER = (20_000, 20, 50)


_STRAYS_S = 1.0
# What asyncio and uvloop alike say of a loop that somebody stopped.
_STOPPED = "Event loop stopped before Future completed"
_OWN_LOOP = "that code must not call stop() on a loop that it did not make"


class LoopStoppedError(SeatrialError):
    """Code that was not ours stopped the event loop that everything ran in."""

    exit_code = 3


_left_open: list[asyncio.AbstractEventLoop] = []


def run_async(work: Callable[[AbortSignal], Coroutine[Any, Any, int]], *, is_busy: bool = False) -> int:
    """Runs ``work`` to its end and gives its exit code. The first Ctrl-C sets the signal that it was given.

    ``is_busy``: there will be so many requests that a faster event loop is worth the time that it takes to load.

    After a Ctrl-C the event loop is left open: closing it would wait for threads of tools that do not listen.
    """
    gc.set_threshold(*_COLLECT_AFTER)
    stop = AbortSignal()
    runner = asyncio.Runner(loop_factory=_fast_loop() if is_busy else None)
    loop = runner.get_loop()
    with ends_told(), interruptible(lambda: _say_stop(loop, stop)):
        try:
            return runner.run(work(stop))
        except SystemExit as error:
            message = "code of a tool, a hook or a check ended the program"
            raise SeatrialError(
                message, hint="what was finished is kept; let that code raise an exception instead"
            ) from error
        except RuntimeError as error:
            if _STOPPED not in str(error):
                raise
            message = "code of a tool, a hook or a check stopped the event loop"
            raise LoopStoppedError(message, hint=f"what was finished is kept; {_OWN_LOOP}") from error
        finally:
            if not stop.is_set and _are_strays_gone(loop):
                runner.close()


def _fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes uvloop's event loop; None, which means Python's own, where there is no uvloop (Windows, PyPy)."""
    if find_spec("uvloop") is None:
        return None
    import uvloop

    return uvloop.new_event_loop


def _are_strays_gone(loop: asyncio.AbstractEventLoop) -> bool:
    """Ends what foreign code left running; False when some of it takes no notice: closing would wait for it."""
    strays = asyncio.all_tasks(loop)
    for task in strays:
        task.cancel()
    if strays:
        loop.run_until_complete(asyncio.wait(strays, timeout=_STRAYS_S))
    if all(task.done() for task in strays):
        return True
    _left_open.append(loop)
    loop.set_exception_handler(lambda _loop, _context: None)
    return False


def settle_memory() -> None:
    """Takes what is loaded now out of the search for circles: it stays for the whole run, and is searched in vain."""
    gc.collect()
    gc.freeze()


def _say_stop(loop: asyncio.AbstractEventLoop, stop: AbortSignal) -> None:
    """From a signal handler: not at once, because the interrupted code may hold the signal's own lock."""
    loop.call_soon_threadsafe(stop.set, INTERRUPTED)
