"""An agent in the hands of another one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from seatrial.core.abort import AbortSignal
from seatrial.core.content import TextContent
from seatrial.core.model import ToolSpec
from seatrial.core.result import RunResult
from seatrial.core.schema import validate_required_args
from seatrial.core.tool import ExecutionMode, ToolContext, ToolOutput
from seatrial.core.usage import UNKNOWN_USAGE, Usage, UsageTotal

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "prompt": {"type": "string", "description": "What to do, with everything that is needed to do it."},
    },
    "required": ["prompt"],
    "additionalProperties": False,
}

# Error codes of runs whose model was reached, or never made.
_OWN_FAULTS = ("context_overflow", "empty_response", "invalid_answer", "unmade_model")


class AgentTool:
    """A tool that runs an agent: each call is a run of its own, with no history but the prompt.

    What the run spent goes to the caller's totals. A run that ends otherwise than by an answer is an error result.
    """

    execution_mode: ExecutionMode = "parallel"

    def __init__(
        self,
        run: Callable[[str, AbortSignal], Awaitable[RunResult]],
        name: str,
        description: str,
        *,
        label: str | None = None,
        timeout_s: float | None = None,
    ) -> None:
        self.spec = ToolSpec(name, description, PARAMETERS)
        self.label = label or name
        self.timeout_s = timeout_s
        self._run = run

    def check_arguments(self, arguments: dict[str, Any]) -> str | None:
        """The required keys."""
        return validate_required_args(arguments, PARAMETERS)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutput:
        """The agent's answer; its transcript, requests and stop reason stand in the details."""
        return output_of_run(self.spec.name, await self._run(arguments["prompt"], context.signal))


def output_of_run(name: str, result: RunResult) -> ToolOutput:
    """What a run made inside the tool ``name`` gave, with what it spent; without an answer it is an error."""
    has_answered = result.stop_reason in ("stop", "terminated")
    details = {
        "stop_reason": result.stop_reason,
        "transcript": msgspec.to_builtins(result.added),
        "requests": msgspec.to_builtins(result.requests),
        **({"outage": "provider"} if result.stop_reason == "error" and result.error_code not in _OWN_FAULTS else {}),
    }
    return ToolOutput(
        content=(TextContent(result.text if has_answered else _failure(name, result)),),
        details=details,
        usage=_as_usage(result.usage),
        cost_usd=result.cost_usd,
        is_error=not has_answered,
        hook_errors=tuple(f"in {name}: {problem}" for problem in result.hook_errors),
    )


def _failure(name: str, result: RunResult) -> str:
    why = result.limit or result.error_message
    ended = f"{name} did not finish: {result.stop_reason}" + (f" ({why})" if why else "")
    return f"{ended}\nIts last words: {result.text}" if result.text else ended


def _as_usage(total: UsageTotal) -> Usage:
    """The total as the usage of one call; unknown when no request said anything."""
    if total.requests == total.unknown_requests:
        return UNKNOWN_USAGE
    return Usage(
        input_tokens=total.input_tokens,
        output_tokens=total.output_tokens,
        cache_read_tokens=total.cache_read_tokens,
        cache_write_tokens=total.cache_write_tokens,
        reasoning_tokens=total.reasoning_tokens,
    )
