"""From ``type: mcp`` entries to servers, and from what servers offer back to what the test cases expect."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from seatrial.config.agent import AgentConfig
from seatrial.config.cases import ExpectationConfig
from seatrial.config.env_file import read_env_file
from seatrial.config.loaded import LoadedAgent
from seatrial.config.located import KeyPath
from seatrial.config.mcp import McpConnectionConfig, McpToolConfig
from seatrial.config.names import did_you_mean
from seatrial.core.tool import Tool
from seatrial.errors import ConfigError
from seatrial.tools.mcp.launch import Launch, launch_of
from seatrial.tools.mcp.servers import McpEntry, McpPool, McpServers
from seatrial.tools.mcp.settings import McpSettings

# Where a server finds what its entry's `config` holds beside the keys of the connection.
CONFIG_VARIABLE = "MCP_CONFIG"

# https://platform.openai.com/docs/guides/function-calling (2026-11): at most 128 functions in a request.
MOST_TOOLS = {"openai": 128, "azure_openai": 128}


def build_servers(loaded: LoadedAgent, tools: Sequence[Tool], pool: McpPool | None = None) -> McpServers | None:
    """The servers of the agent, none of them started; ``tools`` are its other tools. None when it has no servers."""
    configs = [config for config in loaded.require().tools if isinstance(config, McpToolConfig)]
    if not configs:
        return None
    entries = [McpEntry(mcp_settings(config, loaded), config.examples) for config in configs]
    return McpServers(entries, [tool.spec.name for tool in tools], pool)


def mcp_settings(config: McpToolConfig, loaded: LoadedAgent) -> McpSettings:
    """How the entry's server is reached."""
    connection = config.connection
    launch = launch_of_entry(config, loaded)
    return McpSettings(
        name=config.name,
        command=launch.command,
        args=(*launch.args, *connection.args),
        env=_environment(config, connection, loaded),
        inherit_env=connection.inherit_env,
        cwd=loaded.folder if connection.cwd is None else loaded.path_to(connection.cwd),
        encoding=connection.encoding or "utf-8",
        url=launch.url,
        headers=connection.headers,
        transport=connection.transport,
        protocol=connection.protocol,
        connect_timeout_s=connection.connect_timeout,
        call_timeout_s=connection.timeout if config.timeout_s is None else config.timeout_s,
        allow=connection.tools,
        exclude=connection.exclude,
        prefix=connection.prefix or "",
        is_optional=connection.on_error == "skip",
        is_per_case=connection.isolation == "per_case",
        max_concurrency=connection.max_concurrency,
        max_output_chars=connection.max_output,
        execution_mode=config.execution_mode,
    )


def launch_of_entry(config: McpToolConfig, loaded: LoadedAgent) -> Launch:
    """What the entry starts or reaches."""
    connection = config.connection
    if connection.url is not None:
        return Launch(url=connection.url)
    if connection.command is not None:
        return Launch(connection.command)
    return launch_of(config.server or "", loaded.folder)


def started_servers(loaded: LoadedAgent) -> Iterator[McpSettings]:
    """Every server that is a program of this computer, those of variants too."""
    config = loaded.require()
    of_variants = (tool for variant in config.variants for tool in variant.tools or ())
    for tool in (*config.tools, *of_variants):
        if isinstance(tool, McpToolConfig):
            settings = mcp_settings(tool, loaded)
            if not settings.is_remote:
                yield settings


def refuse_unknown_tools(loaded: LoadedAgent, known: Iterable[str]) -> None:
    """Raises `ConfigError` for expected and forbidden tools that no entry and no server has."""
    names = list(known)
    findings = [
        loaded.diagnose("ST305", path, f"no tool is named `{name}`", hint=did_you_mean(name, names))
        for path, name in _named_tools(loaded.require())
        if name not in names
    ]
    if findings:
        raise ConfigError(f"{loaded.path} names tools that no server has", diagnostics=findings)


def refuse_too_many_tools(loaded: LoadedAgent, provider: str, counts: Mapping[str, int]) -> None:
    """Raises `ConfigError` where the provider takes fewer tools than there are; ``counts`` has them by entry."""
    limit = MOST_TOOLS.get(provider)
    total = sum(counts.values())
    if limit is None or total <= limit:
        return
    largest = sorted(counts.items(), key=lambda item: -item[1])
    raise ConfigError(
        f"{loaded.path} offers {total} tools, and {provider} takes {limit}: "
        + ", ".join(f"{name} has {count}" for name, count in largest),
        hint="name those that the agent needs: `tools: [...]` on the entry",
    )


def _named_tools(config: AgentConfig) -> Iterator[tuple[KeyPath, str]]:
    for index, case in enumerate(config.test_cases):
        path: KeyPath = ("test_cases", index)
        expectations: list[tuple[KeyPath, ExpectationConfig]] = [
            (path, case),
            *(((*path, "turns", place), turn) for place, turn in enumerate(case.turns)),
        ]
        for holder, expectation in expectations:
            for place, tool in enumerate(expectation.expected_tools or ()):
                yield (*holder, "expected_tools", place), tool.name
            for place, name in enumerate(expectation.forbidden_tools):
                yield (*holder, "forbidden_tools", place), name


def _environment(config: McpToolConfig, connection: McpConnectionConfig, loaded: LoadedAgent) -> dict[str, str]:
    """The entry's own variables: those of its file, those it names, and what else its `config` holds."""
    file: Path | None = None if connection.env_file is None else loaded.path_to(connection.env_file)
    values = {} if file is None else read_env_file(file)[0]
    rest = {key: value for key, value in config.config.items() if key not in McpConnectionConfig.model_fields}
    handed = {CONFIG_VARIABLE: json.dumps(rest)} if rest else {}
    return {**handed, **values, **connection.env}
