"""The tools of an agent file without the agent: to look at, and to call by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.assembly.hooks import build_hooks
from seatrial.assembly.mcp import build_servers
from seatrial.assembly.models import Models
from seatrial.assembly.tools import build_tools
from seatrial.assembly.unmade_model import made_if_possible
from seatrial.config.loaded import LoadedAgent
from seatrial.config.mcp import McpToolConfig
from seatrial.config.tools import FunctionToolConfig, PromptToolConfig, ToolConfig
from seatrial.config.vectorstore import VectorstoreToolConfig
from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent
from seatrial.core.events import EventSink
from seatrial.core.hooks import Hooks
from seatrial.core.limits import Limits
from seatrial.core.offering import ToolSource
from seatrial.core.result import RunResult
from seatrial.core.tool import Tool
from seatrial.core.tool_errors import told
from seatrial.core.toolbox import OfferedTool, Toolbox
from seatrial.errors import McpError, SeatrialError
from seatrial.providers.scripted import calls_many, scripted
from seatrial.tools.mcp.servers import McpServers
from seatrial.tools.vectorstore import VectorstoreTool


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as the agent offers it. ``kind`` is its type in the agent file, ``source`` where it comes from."""

    offered: OfferedTool
    kind: str
    source: str


@dataclass(frozen=True, slots=True)
class Listing:
    """All tools, and which sources could not be asked for theirs, with the reason."""

    tools: tuple[ListedTool, ...]
    problems: tuple[str, ...] = ()

    def get(self, name: str) -> Tool | None:
        """The tool of this name, or None."""
        return next((listed.offered.tool for listed in self.tools if listed.offered.name == name), None)


class Toolset:
    """Live tools, those of servers included. Close it when it is done with."""

    def __init__(
        self,
        loaded: LoadedAgent,
        tools: Sequence[Tool],
        sources: Sequence[ToolSource] = (),
        hooks: Hooks | None = None,
        *,
        servers: McpServers | None = None,
        models: Models | None = None,
    ) -> None:
        self._loaded = loaded
        self._tools = tuple(tools)
        self._sources = tuple(sources)
        self._hooks = hooks
        self._servers = servers
        self._models = models
        self._problems: list[str] = []

    async def start(self, signal: AbortSignal, on_notice: Callable[[str], None]) -> None:
        """Starts the servers; ``on_notice`` is told what people should know of them. Raises `AbortedError`.

        A server that does not start has no tools; where it must start, the listing says why.
        """
        if self._servers is None:
            return
        warnings = await signal.race(self._servers.start(on_slow=on_notice, on_failure=self._failed))
        for warning in warnings:
            on_notice(warning)
        running = (source for source in self._servers.sources if source.server.has_listed)
        self._sources = (*self._sources, *running)

    def has_own(self, name: str) -> bool:
        """Whether a tool that is none of a server's has this name."""
        return any(tool.spec.name == name for tool in self._tools)

    async def listed(self, signal: AbortSignal) -> Listing:
        """Every tool under the name that a run gives it. Raises `AbortedError`."""
        toolbox = Toolbox(self._tools)
        found = [ListedTool(each, *self._origin(each.name)) for each in toolbox.offered]
        problems = list(self._problems)
        for source in self._sources:
            try:
                tools = await signal.race(source.current_tools())
            except SeatrialError as error:
                signal.raise_if_set()
                problems.append(f"the tools of {source.name} cannot be listed: {told(error)}")
                continue
            before = len(toolbox)
            toolbox = toolbox.plus(tools, source=source.name)
            found += [ListedTool(each, *self._origin(source.name)) for each in toolbox.offered[before:]]
        return Listing(tuple(found), tuple(problems))

    async def call(
        self, name: str, arguments: dict[str, Any], *, signal: AbortSignal | None = None, sink: EventSink | None = None
    ) -> RunResult:
        """A run that is nothing but this one call: checks, hooks, time-out and limits are those of any run."""
        agent = Agent(
            scripted(calls_many((name, arguments))),
            tools=self._tools,
            tool_sources=self._sources,
            hooks=self._hooks,
            limits=Limits(max_turns=1),
        )
        return await agent.run(f"Call {name}.", signal=signal, sink=sink, with_deltas=False)

    async def close(self, *, at_once: bool = False) -> None:
        """Closes indexes and models and ends the servers, ``at_once`` without giving them time to say good-bye."""
        if self._servers is not None:
            await self._servers.stop(at_once=at_once)
        for tool in self._tools:
            if isinstance(tool, VectorstoreTool):
                await asyncio.to_thread(tool.close)
        if self._models is not None:
            await self._models.close()

    def _failed(self, error: McpError) -> None:
        self._problems.append(told(error))

    def _origin(self, name: str) -> tuple[str, str]:
        config = next((each for each in self._loaded.require().tools if each.name == name), None)
        return ("source", name) if config is None else (config.type, _source_of(config))


def _source_of(config: ToolConfig) -> str:
    """Where a tool comes from, in a few words."""
    match config:
        case FunctionToolConfig():
            return f"{config.file}:{config.function}"
        case VectorstoreToolConfig():
            return config.source
        case PromptToolConfig():
            return config.file or "template"
        case McpToolConfig():
            connection = config.connection
            return f"{config.name} ({connection.url or connection.command or config.server})"


def assemble_tools(loaded: LoadedAgent) -> Toolset:
    """The tools of a file without errors, and its hooks; function files are executed. No model of the agent is made.

    Raises `ConfigError`, `PluginError` or `ToolError` for what only building can find out.
    """
    models = Models(loaded)
    tools = build_tools(loaded, made_if_possible(models.get))
    hooks = build_hooks(loaded.require().hooks, loaded)
    return Toolset(loaded, tools, hooks=hooks, servers=build_servers(loaded, tools), models=models)
