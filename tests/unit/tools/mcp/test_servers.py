"""Servers over a run: one connection for all, made anew when it is gone, or each case its own."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.support.mcp_servers import command

from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent
from seatrial.core.events import AgentEvent, ToolUpdated
from seatrial.core.result import RunResult
from seatrial.errors import McpError
from seatrial.providers.scripted import calls, calls_many, says, scripted
from seatrial.tools.mcp import server as server_module
from seatrial.tools.mcp.servers import McpEntry, McpPool, McpServers
from seatrial.tools.mcp.settings import McpSettings


def settings_of(file: str, name: str, entry: str = "srv", **more: Any) -> McpSettings:
    program, *args = command(file, name)
    return McpSettings(name=entry, command=program, args=tuple(args), **more)


@asynccontextmanager
async def started(*all_settings: McpSettings, taken: tuple[str, ...] = ()) -> AsyncIterator[McpServers]:
    servers = McpServers([McpEntry(settings) for settings in all_settings], taken)
    await servers.start()
    try:
        yield servers
    finally:
        await servers.stop()


async def run(servers: McpServers, *replies: Any, **more: Any) -> RunResult:
    agent = Agent(scripted(*replies, says("done")), tool_sources=servers.sources)
    return await agent.run("go", **more)


def results(run: RunResult) -> list[tuple[str, bool]]:
    return [(message.text, message.is_error) for message in run.transcript.tool_results]


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "FIRST_PAUSE_S", 0.01)


async def test_the_list_is_asked_for_again_only_when_it_changed_and_once_for_many_notices() -> None:
    async with started(settings_of("lists", "changing")) as servers:
        tools = await servers.sources[0].current_tools()
        assert await servers.sources[0].current_tools() is tools
        done = await run(servers, calls("change"), calls("added_1"), calls("shrink"), calls("added_1"))
        texts = [text for text, _ in results(done)]
        assert texts[1] == "added_1: listed 2 times"
        assert "There is no tool named 'added_1'" in texts[3]


async def test_structured_content_is_kept_for_graders_and_a_broken_promise_is_noted() -> None:
    async with started(settings_of("results", "results")) as servers:
        done = await run(servers, calls_many(("both", {}), ("mismatched", {})))
        both, mismatched = done.transcript.tool_results
        assert both.details["structured_content"]
        assert "output_schema_problems" not in both.details
        assert mismatched.details["output_schema_problems"]
        assert not mismatched.is_error


async def test_p008_a_large_result_is_shown_by_its_head_and_its_tail_and_kept_whole() -> None:
    async with started(settings_of("results", "results", max_output_chars=1000)) as servers:
        done = await run(servers, calls("big", characters=20_000))
        (result,) = done.transcript.tool_results
        assert 1000 < len(result.text) < 1200
        assert result.text.startswith("0123456789abcdef")
        assert result.text.endswith("END")
        assert "of 20,000 characters left out here" in result.text
        assert len(result.details) == 20_000


async def test_two_servers_that_offer_the_same_tools_are_both_of_use() -> None:
    async with started(settings_of("breaks", "dies", "one"), settings_of("breaks", "dies", "two")) as servers:
        done = await run(servers, calls_many(("one_quick", {}), ("two_quick", {})))
        assert results(done) == [("quick answer", False), ("quick answer", False)]
        assert servers.aliases["one"] == {"one_quick", "one_dies", "one_half_a_line"}
        assert servers.aliases["quick"] == {"one_quick", "two_quick"}


async def test_a_server_that_dies_is_an_error_of_that_call_and_is_there_for_the_next() -> None:
    async with started(settings_of("breaks", "dies")) as servers:
        done = await run(servers, calls("dies"), calls("quick"))
        (died, is_error), quick = results(done)
        assert is_error
        assert "'srv' ended with exit status 9 during the call of 'dies'" in died
        assert quick == ("quick answer", False)


async def test_calls_that_find_a_dead_server_share_its_new_start(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    async with started(settings_of("breaks", "dies", env={"STARTS": str(starts)})) as servers:
        await run(servers, calls("dies"), calls_many(("quick", {}), ("quick", {}), ("quick", {})))
    assert len(starts.read_text().splitlines()) == 2


async def test_a_server_that_answers_nothing_any_more_is_not_started_for_ever() -> None:
    async with started(settings_of("breaks", "dies")) as servers:
        done = await run(servers, *[calls("dies") for _ in range(8)])
        texts = [text for text, _ in results(done)]
        assert "exit status 9" in texts[5]
        assert "is unavailable: it was started 5 times more and answered no call" in texts[7]


async def test_a_server_that_must_start_and_does_not_takes_the_others_down_with_it() -> None:
    good, bad = settings_of("breaks", "dies", "good"), settings_of("breaks", "dies_at_start", "bad")
    servers = McpServers([McpEntry(good), McpEntry(bad)])
    with pytest.raises(McpError) as failed:
        await servers.start()
    assert (failed.value.server, failed.value.exit_code) == ("bad", 3)
    assert "cannot import name 'Server'" in failed.value.message
    assert not servers.sources[0].server.is_running


async def test_an_optional_server_that_does_not_start_is_a_warning_of_every_run() -> None:
    bad = settings_of("breaks", "dies_at_start", "bad", is_optional=True)
    servers = McpServers([McpEntry(settings_of("breaks", "dies", "good")), McpEntry(bad)])
    try:
        (warning,) = await servers.start()
        assert "'bad'" in warning
        assert not servers.are_all_listed
        done = await run(servers, calls("quick"))
        assert results(done) == [("quick answer", False)]
        assert any("the tools of bad cannot be listed" in text for text in done.warnings)
    finally:
        await servers.stop()


async def test_agents_of_one_pool_share_a_server_until_the_last_is_done_with_it() -> None:
    pool, settings = McpPool(), settings_of("breaks", "dies")
    one, two = (McpServers([McpEntry(settings)], pool=pool) for _ in range(2))
    assert one.sources[0].server is two.sources[0].server
    await one.start()
    await two.start()
    await one.stop()
    assert results(await run(two, calls("quick"))) == [("quick answer", False)]
    await two.stop()
    assert not two.sources[0].server.is_running


async def test_a_server_per_case_is_another_process_in_each(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    settings = settings_of("breaks", "dies", is_per_case=True, env={"STARTS": str(starts)})
    servers = McpServers([McpEntry(settings)])
    await servers.start(with_those_per_case=False)
    for _ in range(2):
        async with servers.for_trial(AbortSignal()) as sources:
            agent = Agent(scripted(calls("quick"), says("done")), tool_sources=sources)
            assert results(await agent.run("go")) == [("quick answer", False)]
    await servers.stop()
    assert len(starts.read_text().splitlines()) == 2


async def test_only_tools_that_the_agent_file_allows_are_offered() -> None:
    settings = settings_of("breaks", "dies", allow=("quick", "half_*", "qick"), exclude=("half_a_*",))
    servers = McpServers([McpEntry(settings)])
    try:
        (warning,) = await servers.start()
        assert warning == "MCP server srv: `tools` names 'qick', which it does not have; did you mean 'quick'?"
        assert [tool.spec.name for tool in await servers.sources[0].current_tools()] == ["quick"]
    finally:
        await servers.stop()


async def test_calls_wait_for_their_turn_where_a_server_takes_one_at_a_time() -> None:
    async with started(settings_of("breaks", "dies", max_concurrency=1)) as servers:
        done = await run(servers, calls_many(*[("quick", {})] * 5))
        assert results(done) == [("quick answer", False)] * 5


async def test_a_time_out_is_an_error_and_the_server_goes_on() -> None:
    async with started(settings_of("breaks", "silent", call_timeout_s=0.2)) as servers:
        (text, is_error), quick = results(await run(servers, calls("never"), calls("quick")))
        assert is_error
        assert "timed out" in text
        assert quick == ("quick answer", False)


async def test_progress_of_a_call_is_told_while_it_runs() -> None:
    told: list[AgentEvent] = []
    async with started(settings_of("asks", "asks")) as servers:
        await run(servers, calls("progress"), calls("logs"), sink=told.append)
    assert len({event.tool_call_id for event in told if isinstance(event, ToolUpdated)}) == 2


def test_each_event_loop_has_a_connection_of_its_own_and_none_survives_it() -> None:
    servers = McpServers([McpEntry(settings_of("breaks", "dies"))])
    agent = Agent(scripted(*[calls("quick"), says("done")] * 2), tool_sources=servers.sources)
    for _ in range(2):
        assert results(agent.run_sync("go")) == [("quick answer", False)]
    assert not servers.sources[0].server.is_running


async def test_a_call_from_another_thread_is_carried_to_the_servers_event_loop() -> None:
    async with started(settings_of("breaks", "dies")) as servers:
        agent = Agent(scripted(calls("quick"), says("done")), tool_sources=servers.sources)
        done = await asyncio.to_thread(agent.run_sync, "go")
        assert results(done) == [("quick answer", False)]


def wait_for(file: Path) -> None:
    deadline = time.monotonic() + 20
    while not file.exists() and time.monotonic() < deadline:
        time.sleep(0.01)


async def test_a_start_that_is_given_up_leaves_nothing_behind(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    hanging = settings_of("breaks", "hangs_at_start", env={"STARTS": str(starts)})
    servers = McpServers([McpEntry(hanging), McpEntry(settings_of("breaks", "dies", "other"))])
    starting = asyncio.ensure_future(servers.start())
    await asyncio.to_thread(wait_for, starts)
    await servers.stop(at_once=True)
    with pytest.raises((asyncio.CancelledError, McpError)):
        await starting
    await servers.stop()
    assert not any(source.server.is_running for source in servers.sources)
    pid = int(starts.read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_secret_that_a_server_repeats_is_not_in_its_error() -> None:
    script = "import os, sys; sys.exit('bad key ' + os.environ['KEY'])"
    settings = McpSettings(name="srv", command=sys.executable, args=("-c", script), env={"KEY": "tr0ubador&3"})
    with pytest.raises(McpError) as failed:
        await McpServers([McpEntry(settings)]).start()
    assert "bad key [secret]" in failed.value.message


STALLED = """
import json, sys, time
def send(message, **answer): print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "initialize":
        info = {"name": "s", "version": "1"}
        send(message, result={"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": info})
    elif message["method"] == "tools/list":
        send(message, result={"tools": [{"name": "t", "inputSchema": {"type": "object"}}]})
        time.sleep(60)
"""


async def test_a_server_that_stops_reading_does_not_hold_a_call_beyond_its_limit() -> None:
    settings = McpSettings(
        name="srv", command=sys.executable, args=("-c", STALLED), protocol="legacy", call_timeout_s=0.2
    )
    async with started(settings) as servers, asyncio.timeout(4):
        ((text, is_error),) = results(await run(servers, calls("t", text="a" * 2_000_000)))
        assert is_error
        assert "timed out" in text
