"""The agent that a command works with: found, loaded, checked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Protocol, TypeVar

from seatrial.assembly.valid import load_valid
from seatrial.cli import terminal
from seatrial.cli.program import command_line
from seatrial.config.loaded import LoadedAgent
from seatrial.core.abort import AbortSignal

_WARNINGS_SHOWN = 5
_SEEN_TO_LATER = ("ST508",)  # tools of servers are looked up when these are connected
_CLOSE_S = 10.0
_CLOSE_WHEN_STOPPED_S = 1.0


class Closable(Protocol):
    """Something that holds servers, models and indexes open."""

    async def close(self, *, at_once: bool = False) -> None:
        """Closes them, ``at_once`` without giving them time to say good-bye."""


Live = TypeVar("Live", bound=Closable)


@asynccontextmanager
async def closed(live: Live, stop: AbortSignal) -> AsyncIterator[Live]:
    """A live agent or its tools, closed at the end; after a stop without waiting long for it."""
    try:
        yield live
    finally:
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_WHEN_STOPPED_S if stop.is_set else _CLOSE_S):
                await live.close(at_once=stop.is_set)


def load_checked(
    path: Path, *, show_warnings: bool = True, stand_in: str | None = None, is_offline: bool = False
) -> LoadedAgent:
    """The agent file at ``path``, free of errors; its warnings go to stderr. Raises `ConfigError` with all findings.

    ``stand_in`` takes the place of keys that are not set, where nobody is going to use them. ``is_offline``:
    nothing outside is going to be reached.
    """
    loaded, findings = load_valid(path, stand_in=stand_in, is_offline=is_offline)
    if show_warnings:
        findings = tuple(finding for finding in findings if finding.code not in _SEEN_TO_LATER)
        for finding in findings[:_WARNINGS_SHOWN]:
            terminal.tell(f"{finding.location}: warning: {finding.message}")
        if len(findings) > _WARNINGS_SHOWN:
            terminal.tell(
                f"and {len(findings) - _WARNINGS_SHOWN} more warnings: {command_line('validate', path)} shows them"
            )
    return loaded
