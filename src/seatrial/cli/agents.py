"""The agent that a command works with: found, loaded, checked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from seatrial.assembly.check import check
from seatrial.assembly.live import LiveAgent
from seatrial.cli import terminal
from seatrial.config.loaded import LoadedAgent, in_order
from seatrial.config.loader import load_agent
from seatrial.core.abort import AbortSignal
from seatrial.errors import ConfigError

_WARNINGS_SHOWN = 5
_CLOSE_S = 10.0
_CLOSE_WHEN_STOPPED_S = 0.5


@asynccontextmanager
async def closed(live: LiveAgent, stop: AbortSignal) -> AsyncIterator[LiveAgent]:
    """The live agent, closed at the end; after a stop without waiting long for it."""
    try:
        yield live
    finally:
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSE_WHEN_STOPPED_S if stop.is_set else _CLOSE_S):
                await live.close()


def load_checked(path: Path, *, show_warnings: bool = True, stand_in: str | None = None) -> LoadedAgent:
    """The agent file at ``path``, free of errors; its warnings go to stderr. Raises `ConfigError` with all findings.

    ``stand_in`` takes the place of keys that are not set, where nobody is going to use them.
    """
    loaded = load_agent(path, stand_in=stand_in)
    loaded.require_file()
    findings = in_order((*loaded.diagnostics, *check(loaded)), loaded.path)
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        number = f"{len(errors)} error{'' if len(errors) == 1 else 's'}"
        raise ConfigError(f"{loaded.path} has {number}", diagnostics=findings)
    if show_warnings:
        for finding in findings[:_WARNINGS_SHOWN]:
            terminal.tell(f"{finding.location}: warning: {finding.message}")
        if len(findings) > _WARNINGS_SHOWN:
            terminal.tell(f"and {len(findings) - _WARNINGS_SHOWN} more warnings: seatrial validate shows them")
    return loaded
