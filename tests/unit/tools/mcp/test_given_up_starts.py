"""A start that is given up at any moment leaves no process behind."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest
from tests.support.mcp_servers import command

from seatrial.tools.mcp import connection
from seatrial.tools.mcp.servers import McpEntry, McpServers
from seatrial.tools.mcp.settings import McpSettings

SERVERS = ("hangs_at_start", "parent", "silent", "exits_on_probe")


def entry(server: str, starts: Path) -> McpEntry:
    program, *args = command("breaks", server)
    settings = McpSettings(name=server, command=program, args=tuple(args), env={"STARTS": str(starts)})
    return McpEntry(settings)


def living() -> list[tuple[int, int, int]]:
    """Every process that is no zombie: its id, its parent's and its group's."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, *numbers = status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if state != "Z":
            found.append((int(status.parent.name), int(numbers[0]), int(numbers[1])))
    return found


def children() -> set[int]:
    return {process for process, parent, _ in living() if parent == os.getpid()}


@pytest.mark.parametrize("turns_of_the_loop", [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096])
async def test_a_start_that_is_given_up_leaves_nothing_behind(turns_of_the_loop: int, tmp_path: Path) -> None:
    assert connection.McpConnection  # imported beforehand, or the first moments would all be spent on that
    starts = tmp_path / "starts"
    before = children()
    servers = McpServers([entry(server, starts) for server in SERVERS])
    starting = asyncio.ensure_future(servers.start())
    for _ in range(turns_of_the_loop):
        await asyncio.sleep(0)
    starting.cancel()
    await servers.stop()
    await asyncio.wait((starting,))
    assert starting.cancelled()
    assert children() <= before
    groups = {int(line) for line in starts.read_text(encoding="utf-8").splitlines()} if starts.exists() else set()
    # What was killed is gone a moment later.
    deadline = time.monotonic() + 5
    while groups & {group for _, _, group in living()}:
        assert time.monotonic() < deadline
