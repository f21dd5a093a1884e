"""MCP servers through our connection against a bare client of the ``mcp`` package, in turns, in one process.

The servers are real ones and one of the tests' own, which starts in 30 ms, so that what the client adds shows most. The
memory is that of a process of its own for each figure.
"""

from __future__ import annotations

import asyncio
import json
import logging
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from mcp import Client, StdioServerParameters
from measure import ROOT, compiled_environment

from seatrial.core.agent import Agent
from seatrial.core.limits import Limits
from seatrial.core.messages import AssistantMessage
from seatrial.providers.scripted import ScriptedModel, calls, says
from seatrial.tools.mcp.connection import McpConnection
from seatrial.tools.mcp.server import McpServer
from seatrial.tools.mcp.settings import McpSettings
from seatrial.tools.mcp.tool import McpTool

sys.path.insert(0, str(ROOT))

from tests.support.mcp_servers import command
from tests.support.real_servers import node_package, python_module

STARTS = 9
CALLS = 2000
TURNS = 20
ROUNDS = 7
MEGABYTE = 1_000_000
Row = tuple[str, str, str]
Start = Callable[[Sequence[str]], Awaitable[None]]


def rows() -> list[Row]:
    """(what, figure, bar)."""
    # The library logs a line for each call of a tool that it has not listed.
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    return [*asyncio.run(_starts()), *asyncio.run(_calls()), *_memory()]


async def _starts() -> list[Row]:
    servers = {
        "a server that starts in 30 ms": command("lists", "titles"),
        "server-memory": node_package("server-memory"),
        "mcp-server-time": python_module("mcp_server_time"),
    }
    found: list[Row] = []
    for name, server in servers.items():
        pairs = [(await _timed(_start_bare, server), await _timed(_start_ours, server)) for _ in range(STARTS)]
        bare_s, ours_s = (statistics.median(column) for column in zip(*pairs, strict=True))
        figure = f"{ours_s * 1000:.0f} ms, bare {bare_s * 1000:.0f} ms = {ours_s / bare_s:.2f}x"
        found.append((f"start, list and stop {name}", figure, "at most 1.3x"))
    return found


async def _timed(start: Start, server: Sequence[str]) -> float:
    began = time.perf_counter()
    await start(server)
    return time.perf_counter() - began


async def _start_bare(server: Sequence[str]) -> None:
    async with _bare(server) as client:
        await client.list_tools()


async def _start_ours(server: Sequence[str]) -> None:
    connection = _ours(server)
    await connection.start()
    await connection.stop()


async def _calls() -> list[Row]:
    command_line = command("lists", "titles")
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(_bare(command_line))
        server = await _started(stack, command_line)
        connection = _ours(command_line)
        await connection.start()
        stack.push_async_callback(connection.stop)
        agent = _agent(server, [calls("by_name", word="a")] * TURNS)
        rounds = [
            (
                await _cpu_ms(lambda: client.call_tool("by_name", {"word": "a"})),
                await _cpu_ms(lambda: connection.call("by_name", {"word": "a"})),
                await _cpu_ms(lambda: agent.run("go"), CALLS // TURNS) / TURNS,
            )
            for _ in range(ROUNDS)
        ]
    bare_ms, ours_ms, loop_ms = (statistics.median(column) for column in zip(*rounds, strict=True))
    return [
        (f"CPU of one tool call{where}", f"{ms:.2f} ms, bare {bare_ms:.2f} ms: {ms - bare_ms:+.2f} ms", "at most +1 ms")
        for where, ms in (("", ours_ms), (" as a turn of an agent, the loop and all", loop_ms))
    ]


async def _started(stack: AsyncExitStack, command_line: Sequence[str]) -> McpServer:
    server = McpServer(_settings(command_line))
    await server.start()
    stack.push_async_callback(server.stop)
    return server


def _agent(server: McpServer, replies: list[AssistantMessage]) -> Agent:
    model = ScriptedModel([*replies, says("done")], by_position=True)
    tools = [McpTool(tool.name, tool, server) for tool in server.tools]
    return Agent(model, tools=tools, limits=Limits(max_turns=TURNS + 1))


async def _cpu_ms(call: Callable[[], Awaitable[object]], times: int = CALLS) -> float:
    began = time.process_time()
    for _ in range(times):
        await call()
    return (time.process_time() - began) * 1000 / times


def _memory() -> list[Row]:
    found: list[Row] = []
    for what, name in (
        ("an agent with a result of 5 MB", "result"),
        ("an agent with 500 tools, listed on ten pages", "tools"),
    ):
        measured = subprocess.run(
            [sys.executable, Path(__file__), name],
            env=compiled_environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        before_mb, after_mb = json.loads(measured.stdout)
        found.append((f"memory: {what}", f"+{after_mb - before_mb:.0f} MB (peak {after_mb:.0f} MB)", "under +100 MB"))
    return found


async def _remember(name: str) -> None:
    """Prints the peak before and after the deed; before it an agent has called another server's tool."""
    async with AsyncExitStack() as stack:
        small = await _started(stack, command("lists", "titles"))
        await _agent(small, [calls("by_name")]).run("go")
        before_mb = _peak_mb()
        if name == "result":
            server = await _started(stack, command("results", "results"))
            done = await _agent(server, [calls("big", characters=5 * MEGABYTE)]).run("go")
            assert "END" in done.transcript.tool_results[0].text
        else:
            server = await _started(stack, command("lists", "many"))
            done = await _agent(server, [calls("tool_499", key_0="a")]).run("go")
            assert "tool_499" in done.transcript.tool_results[0].text
        print(json.dumps([before_mb, _peak_mb()]))


def _peak_mb() -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))


def _bare(server: Sequence[str]) -> Client:
    return Client(StdioServerParameters(command=server[0], args=list(server[1:])))


def _ours(server: Sequence[str]) -> McpConnection:
    return McpConnection(_settings(server))


def _settings(server: Sequence[str]) -> McpSettings:
    return McpSettings(name="measured", command=server[0], args=tuple(server[1:]))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(_remember(sys.argv[1]))
    else:
        for row in rows():
            print(*row, sep=" | ")
