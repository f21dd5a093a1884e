"""One tool of a server, as the loop runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seatrial.core.content import text_of
from seatrial.core.loop_config import RESULT_LIMIT_CHARS
from seatrial.core.model import ToolSpec
from seatrial.core.schema import problems_of
from seatrial.core.tool import ToolContext, ToolOutput
from seatrial.core.toolbox import wire_form
from seatrial.tools.mcp.argument_keys import ArgumentKeys
from seatrial.tools.mcp.content import result_blocks
from seatrial.tools.mcp.remote import RemoteResult, RemoteTool
from seatrial.tools.mcp.server import McpServer


class McpTool:
    """Offered under ``name``; its server knows it as ``remote.name``. The server itself sees to the limit of time."""

    timeout_s: float | None = None
    leaves_out_null = True

    def __init__(self, name: str, remote: RemoteTool, server: McpServer, examples: Sequence[str] = ()) -> None:
        self._keys = ArgumentKeys.of(remote.input_schema)
        self.spec = ToolSpec(
            name,
            remote.description,
            self._keys.offered(remote.input_schema),
            tuple(examples),
            aliases=tuple(alias for alias in (server.name, remote.name, wire_form(name)) if alias != name),
        )
        self.label = remote.label
        self.execution_mode = server.settings.execution_mode
        self.max_output_chars = server.settings.max_output_chars
        self.remote = remote
        self.server = server

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutput:
        """What the server answers. Raises `McpError` when it gives no answer."""
        result = await self.server.call(self.remote, self._keys.original(arguments), context)
        blocks = result_blocks(result)
        details = self._details(result)
        if details:
            text = text_of(blocks)
            if len(text) > (self.max_output_chars or RESULT_LIMIT_CHARS):
                details["text"] = text
        return ToolOutput(blocks, details or None, is_error=result.is_error)

    def check_arguments(self, arguments: dict[str, Any]) -> str | None:
        """Nothing beyond the server's own schema."""
        del arguments
        return None

    def _details(self, result: RemoteResult) -> dict[str, Any]:
        """What is kept for people and graders: structured content, and where it is not what the server promised."""
        details: dict[str, Any] = {}
        if result.has_structured_content:
            details["structured_content"] = result.structured_content
        if self.remote.output_schema is not None and not result.is_error:
            problems = self._problems(self.remote.output_schema, result)
            if problems:
                details["output_schema_problems"] = list(problems)
        return details

    def _problems(self, schema: dict[str, Any], result: RemoteResult) -> tuple[str, ...]:
        if not result.has_structured_content:
            return ("the tool has an output schema and gave no structured content",)
        return problems_of(schema, result.structured_content)
