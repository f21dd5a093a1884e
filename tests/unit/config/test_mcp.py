"""MCP tools in the agent file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from seatrial.config.loaded import LoadedAgent
from seatrial.config.mcp import McpToolConfig

Load = Callable[..., LoadedAgent]
TOOL = "tools:\n  - {name: m, type: mcp, description: d, %s}\n"


def told(loaded: LoadedAgent) -> list[tuple[str, str]]:
    return [(finding.code, finding.message) for finding in loaded.diagnostics]


@pytest.mark.parametrize(
    "keys", ["server: x, command: y", "server: x, url: 'http://h/mcp'", "command: x, config: {url: 'http://h'}"]
)
def test_a_server_is_reached_in_one_way(load_more: Load, keys: str) -> None:
    ((code, message),) = told(load_more(TOOL % keys))
    assert code == "ST201"
    assert "exclude each other" in message


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("url: 'http://h/mcp', transport: stdio", "not reached over stdio"),
        ("command: x, config: {transport: sse}", "not reached over sse"),
    ],
)
def test_the_transport_fits_the_way(load_more: Load, keys: str, words: str) -> None:
    ((code, message),) = told(load_more(TOOL % keys))
    assert code == "ST201"
    assert words in message


def test_a_revision_with_a_handshake_is_called_legacy(load_more: Load) -> None:
    loaded = load_more(TOOL % "command: x, protocol: '2025-06-18'")
    assert [finding.code for finding in loaded.diagnostics] == ["ST406"]
    assert "legacy" in (loaded.diagnostics[0].hint or "") + loaded.diagnostics[0].message


def test_what_an_env_file_holds_is_secret(load_more: Load, project: Path) -> None:
    (project / "server.env").write_text("PLAIN_NAME=correct-horse-battery\n")
    for keys in ("env_file: server.env", "config: {env_file: server.env}"):
        assert "correct-horse-battery" in load_more(TOOL % f"command: x, {keys}").secrets


def test_variables_are_put_into_a_servers_environment_and_kept_secret(load_more: Load) -> None:
    loaded = load_more(TOOL % "command: x, env: {A: '${WORD}'}", environ={"WORD": "tr0ubador&3"})
    (tool,) = loaded.require().tools
    assert isinstance(tool, McpToolConfig)
    assert tool.connection.env == {"A": "tr0ubador&3"}
    assert "tr0ubador&3" not in str(loaded.public_config())


def test_a_variable_that_is_not_set_is_told_before_any_server_starts(load_more: Load) -> None:
    loaded = load_more(TOOL % "command: x, headers: {Authorization: 'Bearer ${NOT_THERE}'}", environ={})
    assert any("NOT_THERE" in message for _, message in told(loaded))
    assert loaded.errors


@pytest.mark.parametrize("holder", ["url: %s", "config: {url: '%s'}"])
@pytest.mark.parametrize("url", ["localhost:18917/mcp", "example.org/mcp", "ws://example.org", "http:///mcp"])
def test_an_address_says_how_it_is_spoken_to(load_more: Load, holder: str, url: str) -> None:
    loaded = load_more(TOOL % (holder % url))
    ((code, message),) = told(loaded)
    assert (code, message) == ("ST402", "a `url` begins with http:// or https://")
    assert "://" in (loaded.diagnostics[0].hint or "")


def test_an_address_under_server_is_told_from_a_program(load_more: Load) -> None:
    loaded = load_more(TOOL % "server: 'localhost:18917/mcp'")
    assert [code for code, _ in told(loaded)] == ["ST402"]
    assert "write http://localhost:18917/mcp" in (loaded.diagnostics[0].hint or "")


def test_an_address_from_a_variable_is_fine(load_more: Load) -> None:
    assert told(load_more(TOOL % "url: '${WHERE}/mcp'", environ={"WHERE": "https://example.org"})) == []


def test_a_pasted_block_of_one_server_is_that_server(load_more: Load) -> None:
    loaded = load_more(TOOL % "config: {mcpServers: {time: {type: stdio, command: uvx, args: [mcp-server-time]}}}")
    assert told(loaded) == []
    (tool,) = loaded.require().tools
    assert isinstance(tool, McpToolConfig)
    assert (tool.connection.command, tool.connection.args) == ("uvx", ("mcp-server-time",))
    assert tool.connection.transport == "stdio"


@pytest.mark.parametrize(
    ("config", "words", "hint"),
    [
        ("{mcpServers: {a: {command: x}, b: {command: y}}}", "holds 2 servers (`a`, `b`)", "write a tool for each"),
        ("{time: {command: uvx}}", "they stand too deep, under `time`", "straight under `config`"),
        ("{mcpServers: {time: nothing}}", "`time` under `mcpServers` cannot be used", "straight under `config`"),
    ],
)
def test_a_pasted_block_that_is_no_server_is_told_with_what_to_write(
    load_more: Load, config: str, words: str, hint: str
) -> None:
    loaded = load_more(TOOL % f"config: {config}")
    ((code, message),) = told(loaded)
    assert code == "ST202"
    assert words in message
    assert hint in (loaded.diagnostics[0].hint or "")
