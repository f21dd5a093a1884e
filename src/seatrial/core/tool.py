"""What a tool is to the core."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from seatrial.core.abort import AbortSignal
from seatrial.core.content import ResultBlock, TextContent
from seatrial.core.model import ToolSpec
from seatrial.core.usage import Usage

ExecutionMode = Literal["parallel", "sequential"]


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool gives back: blocks for the model, ``details`` for people and graders, and a few wishes.

    ``usage`` and ``cost_usd`` are what the tool itself spent on models (a prompt tool, a sub-agent).
    ``should_terminate`` ends the run when every result of the batch asks for it.
    """

    content: tuple[ResultBlock, ...] = ()
    details: Any = None
    usage: Usage | None = None
    cost_usd: float | None = None
    added_tool_names: tuple[str, ...] | None = None
    is_error: bool = False
    should_terminate: bool = False

    @classmethod
    def of_text(cls, text: str, *, details: Any = None, is_error: bool = False) -> ToolOutput:
        """An output of one text block."""
        return cls(content=(TextContent(text),), details=details, is_error=is_error)


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a running tool may know and do: its call's id, the abort signal, progress, calling another tool.

    ``run_tool(name, arguments)`` applies the same validation and hooks as a call of the model.
    """

    tool_call_id: str = ""
    signal: AbortSignal = field(default_factory=AbortSignal)
    update: Callable[[str], None] = lambda _text: None
    run_tool: Callable[[str, dict[str, Any]], Any] | None = None


class Tool(Protocol):
    """A tool that the loop can offer and run. Concurrent calls of one tool happen in parallel mode."""

    @property
    def spec(self) -> ToolSpec:
        """Name, description, parameters (a JSON Schema of type object) and example phrases."""

    @property
    def label(self) -> str:
        """The name shown to people."""

    @property
    def execution_mode(self) -> ExecutionMode:
        """``sequential``: a barrier; calls before it finish first, it runs alone, later ones start after it."""

    @property
    def timeout_s(self) -> float | None:
        """Seconds after which a call is given up, None for never."""

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutput:
        """Runs with validated arguments. May raise anything; the loop makes an error result of it.

        Must not block the event loop: blocking work goes to a thread.
        """

    def check_arguments(self, arguments: dict[str, Any]) -> str | None:
        """The tool's own validation: what is wrong, in words for the model, or None. Default: the required keys."""
