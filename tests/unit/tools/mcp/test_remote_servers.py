"""Servers over HTTP during a run: sessions that are lost, servers that are busy or gone, lists that change."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from tests.support.mcp_servers.over_http import Fault, HttpMcpServer, http_server

from seatrial.core.agent import Agent
from seatrial.core.tool import ToolContext
from seatrial.providers.scripted import calls, says, scripted
from seatrial.tools.mcp import server as server_module
from seatrial.tools.mcp.servers import McpEntry, McpServers
from seatrial.tools.mcp.settings import McpSettings

ECHO = calls("echo", word="a")
ANSWER = ('echo {"word": "a"}', False)


@asynccontextmanager
async def started(*faults: Fault, **settings: Any) -> AsyncIterator[tuple[HttpMcpServer, McpServers]]:
    with http_server(*faults) as server:
        servers = McpServers([McpEntry(McpSettings(name="srv", url=server.url, **settings))])
        await servers.start()
        try:
            yield server, servers
        finally:
            await servers.stop()


async def results(servers: McpServers, *replies: Any) -> list[tuple[str, bool]]:
    done = await Agent(scripted(*replies, says("done")), tool_sources=servers.sources).run("go")
    return [(message.text, message.is_error) for message in done.transcript.tool_results]


async def test_a_lost_session_is_begun_anew_and_the_call_made_in_it() -> None:
    async with started() as (server, servers):
        assert await results(servers, ECHO) == [ANSWER]
        server.forget_sessions()
        assert await results(servers, ECHO) == [ANSWER]


async def test_a_busy_server_is_asked_again_when_it_says() -> None:
    async with started(Fault("tools/call", status=429, headers={"retry-after": "0.05"}, times=1)) as (server, servers):
        assert await results(servers, ECHO) == [ANSWER]
        assert len(server.calls("tools/call")) == 2


async def test_a_server_that_is_busy_for_longer_than_a_call_may_take_is_not_waited_for() -> None:
    fault = Fault("tools/call", status=429, headers={"retry-after": "3600"})
    async with started(fault, call_timeout_s=5) as (server, servers):
        ((text, is_error),) = await results(servers, ECHO)
        assert is_error
        assert "HTTP 429" in text
        assert len(server.calls("tools/call")) == 1


@pytest.mark.parametrize("action", ["drop", "drop_in_stream"])
async def test_a_call_that_may_have_run_is_not_made_twice(action: Any) -> None:
    async with started(Fault("tools/call", action=action, times=1)) as (server, servers):
        (first, second) = await results(servers, ECHO, ECHO)
        assert first[1]
        assert second == ANSWER
        assert len(server.calls("tools/call")) == 2


async def test_calls_over_http_run_side_by_side() -> None:
    async with started() as (_, servers):
        (tool, *_rest) = await servers.sources[0].current_tools()
        answers = await asyncio.gather(
            *(servers.sources[0].server.call(tool.remote, {"n": n}, ToolContext(str(n))) for n in range(20))
        )
        assert [answer.content[0]["text"] for answer in answers] == [f'echo {{"n": {n}}}' for n in range(20)]


async def test_people_are_told_of_a_start_that_takes_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "SLOW_START_S", 0.05)
    told: list[str] = []
    with http_server(Fault("initialize", action="hang", times=1)) as server:
        settings = McpSettings(name="srv", url=server.url, protocol="legacy", connect_timeout_s=1, is_optional=True)
        servers = McpServers([McpEntry(settings)])
        warnings = await servers.start(on_slow=told.append)
        await servers.stop()
    assert told == ["the MCP server 'srv' is still starting"]
    assert "did not get ready in 1 s (connect_timeout)" in warnings[0]
