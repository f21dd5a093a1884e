"""From MCP entries of an agent file to servers, and an agent that uses their tools."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.support.mcp_servers import command

from seatrial.assembly.live import LiveAgent, assemble
from seatrial.assembly.mcp import mcp_settings, refuse_too_many_tools, started_servers
from seatrial.config.cases import CaseConfig
from seatrial.config.loaded import LoadedAgent
from seatrial.config.loader import load_agent
from seatrial.config.mcp import McpToolConfig
from seatrial.core.abort import AbortSignal
from seatrial.errors import ConfigError, McpError
from seatrial.runner.execute import execute
from seatrial.runner.plan import Plan, plan_cases
from seatrial.runner.suite import Suite, run_suite
from seatrial.runs.masking import Masker
from seatrial.runs.records import RunRecord, Selection, TrialRecord
from seatrial.runs.store import open_store
from seatrial.tools.mcp.servers import McpPool
from seatrial.tools.mcp.settings import McpSettings

Write = Callable[..., LoadedAgent]


def entry(file: str = "breaks", server: str = "dies", name: str = "srv", **keys: Any) -> dict[str, Any]:
    program, *args = command(file, server)
    return {"name": name, "type": "mcp", "description": "A server.", "command": program, "args": args, **keys}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes an agent file with a scripted model and these tools and cases, and loads it."""

    def written(*tools: dict[str, Any], cases: list[dict[str, Any]] | None = None, replies: Any = ()) -> LoadedAgent:
        (tmp_path / "script.json").write_text(json.dumps(list(replies)))
        content = {
            "name": "agent",
            "model": {"provider": "scripted", "name": "script.json"},
            "instructions": {"inline": "Answer."},
            "tools": list(tools),
            "test_cases": cases or [],
        }
        (tmp_path / "agent.yaml").write_text(json.dumps(content))
        loaded = load_agent(tmp_path / "agent.yaml", environ={"PATH": "/bin:/usr/bin"})
        assert not loaded.errors, loaded.errors
        return loaded

    return written


def settings(loaded: LoadedAgent) -> McpSettings:
    (config,) = loaded.require().tools
    assert isinstance(config, McpToolConfig)
    return mcp_settings(config, loaded)


@asynccontextmanager
async def live(loaded: LoadedAgent, pool: McpPool | None = None, **how: Any) -> AsyncIterator[LiveAgent]:
    agent = assemble(loaded, pool=pool)
    try:
        await agent.prepare(**how)
        yield agent
    finally:
        await agent.close()


async def run_case(loaded: LoadedAgent, folder: Path, **how: Any) -> TrialRecord:
    """What the file's one case comes to."""
    run = RunRecord("r", "agent", "agent.yaml", datetime.now(UTC), planned=1)
    plan = Plan(plan_cases(loaded.require().test_cases, Selection()))
    with open_store(folder / "runs.db") as store:
        async with live(loaded, for_cases=True, **how) as agent:
            suite = Suite(plan, {"": agent}, Masker(()))
            await run_suite(suite, run, store, lambda _event: None, AbortSignal())
        (trial,) = store.trials("r")
    return trial


def test_every_key_arrives(write: Write, tmp_path: Path) -> None:
    (tmp_path / "x.env").write_text("FROM_FILE=1\nBOTH=file\n")
    (tmp_path / "sub").mkdir()
    keys = {
        "env": {"BOTH": "own"},
        "env_file": "x.env",
        "inherit_env": ["HTTPS_PROXY"],
        "cwd": "sub",
        "encoding": "latin-1",
        "protocol": "legacy",
        "connect_timeout": 7,
        "timeout": 8,
        "tools": ["a"],
        "exclude": ["b"],
        "prefix": "p_",
        "on_error": "skip",
        "isolation": "per_case",
        "max_concurrency": 2,
        "max_output": 100,
        "execution_mode": "sequential",
    }
    found = settings(write(entry(config={"roots": ["/data"]}, **keys)))
    assert dict(found.env) == {"FROM_FILE": "1", "BOTH": "own", "MCP_CONFIG": '{"roots": ["/data"]}'}
    assert (found.inherit_env, found.cwd, found.encoding) == (("HTTPS_PROXY",), tmp_path / "sub", "latin-1")
    assert (found.protocol, found.connect_timeout_s, found.call_timeout_s) == ("legacy", 7, 8)
    assert (found.allow, found.exclude, found.prefix) == (("a",), ("b",), "p_")
    assert (found.is_optional, found.is_per_case, found.max_concurrency) == (True, True, 2)
    assert (found.max_output_chars, found.execution_mode) == (100, "sequential")


def test_keys_inside_config_say_the_same(write: Write) -> None:
    outside = {"timeout": 3, "max_output": 9, "transport": "stdio", "on_error": "skip"}
    assert settings(write(entry(**outside))) == settings(write(entry(config=outside)))


def test_an_address_with_headers(write: Write) -> None:
    tool = {"name": "m", "type": "mcp", "description": "d", "url": "http://h/mcp", "headers": {"A": "b"}}
    found = settings(write(tool))
    assert (found.url, dict(found.headers), found.command, found.transport) == ("http://h/mcp", {"A": "b"}, "", "auto")


def test_the_programs_of_an_agent_file_are_known_without_starting_them(write: Write, tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text("raise SystemExit('never run')")
    tool = {"name": "m", "type": "mcp", "description": "d", "server": "server.py", "args": ["-v"]}
    (server,) = started_servers(write(tool))
    assert (server.name, server.command, server.args) == ("m", sys.executable, (str(tmp_path / "server.py"), "-v"))


async def test_an_agent_calls_a_tool_of_its_server_in_a_case(write: Write) -> None:
    replies = [{"calls": [{"name": "quick", "arguments": {}}]}, "It said quick answer."]
    loaded = write(entry(), replies=replies)
    async with live(loaded) as agent:
        attempt = await execute(CaseConfig(name="a", input="go"), agent, AbortSignal())
        assert attempt.error is None
        assert [result.text for result in attempt.turns[0].result.transcript.tool_results] == ["quick answer"]


async def test_h013_a_name_that_no_server_has_is_an_error_once_they_are_connected(write: Write) -> None:
    cases = [{"name": "a", "input": "go", "expected_tools": ["srv", "quick", "quik"]}]
    loaded = write(entry(), cases=cases)
    assert [finding.code for finding in loaded.diagnostics] == ["ST508"] * 2
    with pytest.raises(ConfigError) as failed:
        async with live(loaded):
            pass
    (finding,) = failed.value.diagnostics
    assert (finding.code, finding.message, finding.hint) == (
        "ST305",
        "no tool is named `quik`",
        "did you mean `quick`?",
    )


@pytest.mark.parametrize("how", [{"isolation": "per_case"}, {"on_error": "skip", "server": "dies_at_start"}])
@pytest.mark.parametrize(
    ("forbidden", "outcome"),
    [("quik", "failed"), ("srv", "passed"), ("named", "passed"), ("own_named", "passed"), ("other_named", "passed")],
)
async def test_a_case_that_forbids_a_tool_that_no_server_has_fails(
    write: Write, tmp_path: Path, how: dict[str, str], forbidden: str, outcome: str
) -> None:
    server = entry("breaks", **{"server": "dies", **how})
    other = entry("breaks", name="other", isolation="per_case", prefix="own_", tools=["named", "quick"])
    case = {"name": "a", "input": "go", "forbidden_tools": [forbidden]}
    loaded = write(server, other, replies=["hi"], cases=[case])
    trial = await run_case(loaded, tmp_path)
    assert trial.outcome == outcome
    if outcome == "failed":
        assert trial.reason.startswith("forbidden_tools: no tool is named `quik`: did you mean `quick`?")


async def test_a_case_that_forbids_a_tool_which_its_own_server_has_passes(write: Write, tmp_path: Path) -> None:
    case = {"name": "a", "input": "go", "forbidden_tools": ["quick"]}
    loaded = write(entry(isolation="per_case"), replies=["hi"], cases=[case])
    assert (await run_case(loaded, tmp_path)).outcome == "passed"


async def test_an_allow_list_with_a_slip_is_told_with_the_near_name_for_servers_of_each_case(
    write: Write, tmp_path: Path
) -> None:
    told: list[str] = []
    loaded = write(entry(isolation="per_case", tools=["quikc"]), replies=["hi"], cases=[{"name": "a", "input": "go"}])
    await run_case(loaded, tmp_path, on_notice=told.append)
    assert told == ["MCP server srv: `tools` names 'quikc', which it does not have; did you mean 'quick'?"]


async def test_variants_of_one_run_share_a_server(write: Write, tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    loaded = write(entry(env={"STARTS": str(starts)}))
    pool = McpPool()
    async with live(loaded, pool), live(loaded, pool):
        assert len(starts.read_text().splitlines()) == 1


async def test_a_case_whose_own_server_does_not_start_is_an_error_of_that_case(write: Write) -> None:
    loaded = write(entry("breaks", "dies_at_start", isolation="per_case"), replies=["hi"])
    async with live(loaded, for_cases=True) as agent:
        attempt = await execute(CaseConfig(name="a", input="go"), agent, AbortSignal())
        assert attempt.error is not None
        assert attempt.error.kind == "provider"
        assert "the MCP server 'srv' ended with exit status 1" in attempt.error.message


async def test_a_server_that_must_start_ends_the_preparation(write: Write) -> None:
    with pytest.raises(McpError):
        async with live(write(entry("breaks", "dies_at_start"))):
            pass


async def test_notices_tell_of_a_server_that_is_left_out(write: Write) -> None:
    told: list[str] = []
    async with live(write(entry("breaks", "dies_at_start", on_error="skip")), on_notice=told.append):
        assert len(told) == 1
        assert "its tools are left out" in told[0]


def test_more_tools_than_a_provider_takes_are_refused_with_their_numbers(write: Write) -> None:
    loaded = write(entry())
    refuse_too_many_tools(loaded, "openai", {"a": 128})
    refuse_too_many_tools(loaded, "anthropic", {"a": 500})
    with pytest.raises(ConfigError) as failed:
        refuse_too_many_tools(loaded, "openai", {"small": 9, "large": 120})
    assert failed.value.message.endswith("offers 129 tools, and openai takes 128: large has 120, small has 9")


async def test_a_case_that_fails_for_a_server_that_is_left_out_says_so(write: Write, tmp_path: Path) -> None:
    case = {"name": "a", "input": "go", "expected_tools": ["srv"]}
    loaded = write(entry("breaks", "dies_at_start", on_error="skip"), replies=["hi"], cases=[case])
    trial = await run_case(loaded, tmp_path)
    assert trial.outcome == "failed"
    assert "the tools of srv cannot be listed: the MCP server 'srv' ended with exit status 1" in trial.reason
