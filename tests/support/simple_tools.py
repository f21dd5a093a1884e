"""Small tools for tests of the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from seatrial.core.model import ToolSpec
from seatrial.core.tool import SimpleTool, ToolContext

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def tool(name: str, function: Callable[..., Any] | None = None, /, **options: Any) -> SimpleTool:
    """A tool of no arguments unless ``properties`` are given; without a function it answers with its name."""
    properties = options.pop("properties", {})
    schema = {"type": "object", "properties": properties, "required": options.pop("required", list(properties))}
    schema |= options.pop("schema", {})

    async def answer(_arguments: dict[str, Any], _context: ToolContext) -> str:
        return name

    return SimpleTool(ToolSpec(name, f"Does {name}.", schema), function or answer, **options)


class Gate:
    """A tool that tells when it is entered, and stays until it is let go."""

    def __init__(self, name: str = "gate", *, is_stubborn: bool = False, **options: Any) -> None:
        self.entered = asyncio.Event()
        self.go = asyncio.Event()
        self.was_cancelled = False
        self.has_ended = asyncio.Event()
        self._is_stubborn = is_stubborn
        self.tool = tool(name, self._run, **options)

    async def _run(self, _arguments: dict[str, Any], _context: ToolContext) -> str:
        self.entered.set()
        try:
            while True:
                try:
                    await self.go.wait()
                    return "late" if self.was_cancelled else "passed"
                except asyncio.CancelledError:
                    self.was_cancelled = True
                    if not self._is_stubborn:
                        raise
        finally:
            self.has_ended.set()
