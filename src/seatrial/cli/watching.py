"""``seatrial test --watch``: runs again whenever something that the agent reads has changed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from itertools import islice
from pathlib import Path

from seatrial.cli import terminal
from seatrial.config.files_named import files_defining, files_inside, files_named
from seatrial.config.loader import load_agent
from seatrial.core.abort import AbortSignal
from seatrial.core.threads import in_thread
from seatrial.errors import AbortedError, SeatrialError

_POLL_S = 0.3
_MOST_FILES = 10_000

Stamps = dict[Path, tuple[int, int]]


async def watch(agent: Path, run: Callable[[], Awaitable[int]], stop: AbortSignal) -> int:
    """Runs, waits for a change, and runs again until stop is said; the exit code is the last run's.

    What is wrong with the agent file is told, and no reason to leave: the next change may mend it.
    """
    while True:
        before = stamps(agent)
        code = await _told(run)
        if stop.is_set:
            return code
        sys.stdout.flush()
        terminal.tell(f"\nwatching {len(before):,} file{'' if len(before) == 1 else 's'}; Ctrl-C leaves")
        changed = await _change(agent, before, stop)
        if changed is None:
            return code
        terminal.tell(f"{changed.name} has changed\n")


def stamps(agent: Path) -> Stamps:
    """Time and size of each file that the agent reads, and of the modules and data that its Python files use."""
    found: Stamps = {}
    for path in islice(_files(agent), _MOST_FILES):
        try:
            stat = path.stat()
        except OSError:
            continue
        found[path] = (stat.st_mtime_ns, stat.st_size)
    return found


async def _told(run: Callable[[], Awaitable[int]]) -> int:
    try:
        return await run()
    except AbortedError:
        raise
    except SeatrialError as error:
        terminal.show_error(error)
        return error.exit_code


async def _change(agent: Path, before: Stamps, stop: AbortSignal) -> Path | None:
    """The first file that differs, once nothing moves any more: an editor may be writing. None after a stop."""
    last = before
    while not await _is_stopped_within(_POLL_S, stop):
        now = await in_thread(stamps, agent)
        if now != before and now == last:
            return next(path for path in (*now, *before) if now.get(path) != before.get(path))
        last = now
    return None


async def _is_stopped_within(seconds: float, stop: AbortSignal) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await stop.wait()
    except TimeoutError:
        return False
    return True


def _files(agent: Path) -> Iterator[Path]:
    loaded = load_agent(agent)
    for path in dict.fromkeys([*files_named(loaded), *files_defining(loaded)]):
        if path.is_dir():
            yield from files_inside(path)
        else:
            yield path
