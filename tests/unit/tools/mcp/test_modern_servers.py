"""Servers made with the official library, in the protocol without a handshake."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from seatrial.core.agent import Agent
from seatrial.core.events import AgentEvent, ToolUpdated
from seatrial.providers.scripted import calls, says, scripted
from seatrial.tools.mcp.servers import McpEntry, McpServers
from seatrial.tools.mcp.settings import McpSettings

SERVER = '''
import sys
from mcp.server import MCPServer
from mcp.server.mcpserver import Context

server = MCPServer("growing", instructions="Grow me.")


def grown() -> str:
    """Was not there before."""
    return "grown"


@server.tool()
async def grow(context: Context) -> str:
    """Adds a tool and says so."""
    server.add_tool(grown)
    await context.notify_tools_changed()
    return "done"


@server.tool()
async def steps(context: Context) -> str:
    """Tells how far it is."""
    await context.report_progress(1, 2, "half")
    return "done"


server.run()
'''


@pytest.fixture
def settings(tmp_path: Path) -> McpSettings:
    (tmp_path / "server.py").write_text(SERVER)
    return McpSettings(name="growing", command=sys.executable, args=(str(tmp_path / "server.py"),))


@pytest.mark.parametrize("protocol", ["auto", "2026-07-28"])
async def test_a_change_of_the_tools_is_seen_before_the_next_request(settings: McpSettings, protocol: str) -> None:
    servers = McpServers([McpEntry(replace(settings, protocol=protocol))])
    await servers.start()
    try:
        agent = Agent(scripted(calls("grow"), calls("grown"), says("done")), tool_sources=servers.sources)
        done = await agent.run("go")
    finally:
        await servers.stop()
    assert [result.text for result in done.transcript.tool_results] == ["done", "grown"]


async def test_progress_is_told(settings: McpSettings) -> None:
    told: list[AgentEvent] = []
    servers = McpServers([McpEntry(settings)])
    await servers.start()
    try:
        agent = Agent(scripted(calls("steps"), says("done")), tool_sources=servers.sources)
        await agent.run("go", sink=told.append)
    finally:
        await servers.stop()
    assert [event.text for event in told if isinstance(event, ToolUpdated)] == ["1/2 half"]


async def test_a_logger_that_is_named_like_the_librarys_stays_its_owners(
    settings: McpSettings, caplog: pytest.LogCaptureFixture
) -> None:
    servers = McpServers([McpEntry(settings)])
    await servers.start()
    await servers.stop()
    logging.getLogger("client").warning("mine")
    assert caplog.messages == ["mine"]
