"""A start that is given up at any moment leaves no process behind."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from tests.support.mcp_servers import command

from seatrial.tools.mcp import connection
from seatrial.tools.mcp.servers import McpEntry, McpServers
from seatrial.tools.mcp.settings import McpSettings

SERVERS = ("hangs_at_start", "parent", "silent", "exits_on_probe")


def entry(server: str) -> McpEntry:
    program, *args = command("breaks", server)
    return McpEntry(McpSettings(name=server, command=program, args=tuple(args)))


def living_children() -> set[int]:
    found = set()
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, *_ = status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(parent) == os.getpid() and state != "Z":
            found.add(int(status.parent.name))
    return found


@pytest.mark.parametrize("turns_of_the_loop", [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096])
async def test_a_start_that_is_given_up_leaves_nothing_behind(turns_of_the_loop: int) -> None:
    assert connection.McpConnection  # imported beforehand, or the first moments would all be spent on that
    before = living_children()
    servers = McpServers([entry(server) for server in SERVERS])
    starting = asyncio.ensure_future(servers.start())
    for _ in range(turns_of_the_loop):
        await asyncio.sleep(0)
    starting.cancel()
    await servers.stop()
    await asyncio.wait((starting,))
    assert starting.cancelled()
    assert living_children() <= before
