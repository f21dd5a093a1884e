"""What a tool is to the core."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from seatrial.core.abort import AbortSignal
from seatrial.core.content import ResultBlock, TextContent
from seatrial.core.model import ToolSpec
from seatrial.core.result_blocks import blocks_of
from seatrial.core.threads import in_thread
from seatrial.core.usage import Usage

ExecutionMode = Literal["parallel", "sequential"]


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool gives back: blocks for the model, ``details`` for people and graders, and a few wishes.

    ``usage`` and ``cost_usd`` are what the tool itself spent on models (a prompt tool, a sub-agent).
    ``should_terminate`` ends the run when every result of the batch asks for it. ``hook_errors`` say which hooks
    failed inside of it (a sub-agent's); they become the run's own.
    """

    content: tuple[ResultBlock, ...] = ()
    details: Any = None
    usage: Usage | None = None
    cost_usd: float | None = None
    added_tool_names: tuple[str, ...] | None = None
    is_error: bool = False
    should_terminate: bool = False
    hook_errors: tuple[str, ...] = ()

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


class SimpleTool:
    """A tool made of a spec and a function of the arguments and the context, plain or async.

    A plain function runs in a thread. What it returns becomes an output as in `output_of`. ``check`` says
    what is wrong with the arguments, in words for the model, or None.
    """

    def __init__(
        self,
        spec: ToolSpec,
        function: Callable[[dict[str, Any], ToolContext], Any],
        *,
        label: str | None = None,
        execution_mode: ExecutionMode = "parallel",
        timeout_s: float | None = None,
        check: Callable[[dict[str, Any]], str | None] | None = None,
    ) -> None:
        self.spec = spec
        self.label = label or spec.name
        self.execution_mode: ExecutionMode = execution_mode
        self.timeout_s = timeout_s
        self._function = function
        self._check = check

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutput:
        """What the function makes of the arguments."""
        if inspect.iscoroutinefunction(self._function):
            return output_of(await self._function(arguments, context))
        value = await in_thread(self._function, arguments, context)
        return output_of(await value if inspect.isawaitable(value) else value)

    def check_arguments(self, arguments: dict[str, Any]) -> str | None:
        """What ``check`` says."""
        return None if self._check is None else self._check(arguments)


def leaves_out_null(tool: Tool) -> bool:
    """Whether the tool says, by ``leaves_out_null``, that null means nothing to it where its schema has no null."""
    return getattr(tool, "leaves_out_null", False) is True


def max_output_of(tool: Tool) -> int | None:
    """The most characters of a result that the model is shown, where the tool says so by ``max_output_chars``."""
    limit_chars: int | None = getattr(tool, "max_output_chars", None)
    return limit_chars


def output_of(value: Any) -> ToolOutput:
    """The value itself when it is an output, else the blocks that say it."""
    return value if isinstance(value, ToolOutput) else ToolOutput(blocks_of(value))
