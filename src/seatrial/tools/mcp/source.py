"""The tools of a server as a source of tools for the loop."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase

from seatrial.tools.mcp.names import ToolNames
from seatrial.tools.mcp.remote import RemoteTool
from seatrial.tools.mcp.server import McpServer
from seatrial.tools.mcp.tool import McpTool


class McpSource:
    """Those tools of a server that the agent file takes, under the names that they have in this agent."""

    def __init__(self, server: McpServer, names: ToolNames, examples: Sequence[str] = ()) -> None:
        self.server = server
        self._names = names
        self._examples = tuple(examples)
        self._listed: tuple[RemoteTool, ...] | None = None
        self._tools: tuple[McpTool, ...] = ()

    @property
    def name(self) -> str:
        """The entry's name."""
        return self.server.name

    @property
    def tools(self) -> tuple[McpTool, ...]:
        """The tools as they were last asked for."""
        return self._tools

    @property
    def count(self) -> int:
        """How many tools of the server the agent file takes."""
        return len(self.taken(self.server.tools))

    async def current_tools(self) -> Sequence[McpTool]:
        """The tools now; the same tuple as before when the server did not say that they changed."""
        listed = await self.server.refresh()
        if listed is not self._listed:
            self._listed = listed
            taken = self.taken(listed)
            self._names.add([self.wishes(taken)])
            self._tools = tuple(
                McpTool(self._names.of(self.name, tool.name), tool, self.server, self._examples) for tool in taken
            )
        return self._tools

    def taken(self, listed: Iterable[RemoteTool]) -> list[RemoteTool]:
        """The tools that `allow` names, all when it is not given, without those that `exclude` names."""
        settings = self.server.settings
        return [
            tool
            for tool in listed
            if (settings.allow is None or _is_named(tool.name, settings.allow))
            and not _is_named(tool.name, settings.exclude)
        ]

    def wishes(self, taken: Iterable[RemoteTool]) -> tuple[str, str, list[str]]:
        """What `ToolNames.add` wants to know."""
        return self.name, self.server.settings.prefix, [tool.name for tool in taken]

    def warnings(self, listed: Sequence[RemoteTool]) -> list[str]:
        """Names and patterns of the agent file that are those of no tool, and what the server's list shows."""
        settings = self.server.settings
        names = [tool.name for tool in listed]
        found = list(self.server.warnings)
        for key, patterns in (("tools", settings.allow or ()), ("exclude", settings.exclude)):
            for pattern in patterns:
                if not any(fnmatchcase(name, pattern) for name in names):
                    near = get_close_matches(pattern, names, n=1)
                    hint = f"; did you mean {near[0]!r}?" if near else ""
                    found.append(f"MCP server {self.name}: `{key}` names {pattern!r}, which it does not have{hint}")
        return found


def _is_named(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
