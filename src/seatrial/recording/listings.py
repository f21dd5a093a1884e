"""Tools of a server as they were listed, without the server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from seatrial.core.model import ToolSpec
from seatrial.core.tool import ExecutionMode, Tool, ToolContext, ToolOutput
from seatrial.errors import RunError, ToolError
from seatrial.recording.cassette import Cassette, ListedTool, Listing
from seatrial.recording.tape import ListTools


class KnownTool:
    """A tool that is known by its description. Only running it needs the server."""

    def __init__(self, spec: ToolSpec, listed: ListedTool, live: ListTools) -> None:
        self.spec = spec
        self.label = listed.label
        self.execution_mode: ExecutionMode = listed.execution_mode
        self.timeout_s = listed.timeout_s
        self.max_output_chars = listed.max_output_chars
        self.leaves_out_null = listed.leaves_out_null
        self._live = live

    def check_arguments(self, _arguments: dict[str, Any]) -> str | None:
        """Nothing beyond the schema."""
        return None

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutput:
        """What the server's own tool gives. Raises `ToolError` when it has it no more."""
        for tool in await self._live():
            if tool.spec.name == self.spec.name:
                return await tool.run(arguments, context)
        raise ToolError(f"the server has no tool {self.spec.name!r} any more")


class Listings:
    """Lists of tools, the same object for the same list: all trials of a run share one."""

    def __init__(self) -> None:
        self._known: dict[bytes, Sequence[Tool]] = {}

    def tools(self, listing: Listing, cassette: Cassette, live: ListTools) -> Sequence[Tool]:
        """The tools of the list; ``live`` asks the server, where a tool is to be run for real."""
        try:
            specs = [cassette.tools[tool.spec] for tool in listing.tools]
        except IndexError as error:
            raise RunError(f"the recording of {cassette.case!r} names a tool that its table does not have") from error
        key = msgspec.json.encode(
            (listing.source, specs, [msgspec.structs.astuple(tool)[1:] for tool in listing.tools])
        )
        if key not in self._known:
            self._known[key] = tuple(
                KnownTool(spec, tool, live) for spec, tool in zip(specs, listing.tools, strict=True)
            )
        return self._known[key]
