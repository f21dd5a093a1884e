"""Graders in the form of HoloDeck: a function of one context object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from seatrial.core.messages import AssistantMessage, ToolResultMessage
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.checks.python import PythonFunction


@dataclass(frozen=True)
class ToolInvocation:
    """One call that the agent made, with its result as text."""

    name: str
    args: Mapping[str, Any]
    result: str
    duration_ms: float | None = None
    error: str | None = None

    @property
    def bytes(self) -> int:
        """The result's size in UTF-8."""
        return len(self.result.encode("utf-8", "replace"))


@dataclass(frozen=True)
class GraderContext:
    """What a grader may look at; the names are HoloDeck's."""

    turn_input: str
    agent_response: str
    ground_truth: str | None = None
    tool_invocations: tuple[ToolInvocation, ...] = ()
    retrieval_context: tuple[str, ...] | None = None
    turn_index: int = 0
    test_case_name: str | None = None
    turn_config: Mapping[str, Any] = field(default_factory=dict)


class CodeGrader:
    """What a grader function says: a truth value, a number, or an object with ``score``, ``reason`` and ``details``.

    A ``passed`` beside a score does not count; the threshold decides.
    """

    def __init__(self, *, function: Callable[[GraderContext], Any], name: str | None = None) -> None:
        self.name = name or str(getattr(function, "__name__", "code"))
        self._function = PythonFunction(function=lambda evidence: function(context_of(evidence)), name=self.name)

    async def measure(self, evidence: Evidence) -> Measurement:
        """The grader's value; raises what it raises."""
        return await self._function.measure(evidence)


def context_of(evidence: Evidence) -> GraderContext:
    """The trial in HoloDeck's terms."""
    return GraderContext(
        turn_input=evidence.input,
        agent_response=evidence.output,
        ground_truth=evidence.ground_truth,
        tool_invocations=_invocations(evidence),
        retrieval_context=evidence.context or None,
        turn_index=evidence.turn_index,
        test_case_name=evidence.case or None,
        turn_config=evidence.turn_config,
    )


def _invocations(evidence: Evidence) -> tuple[ToolInvocation, ...]:
    results = {m.tool_call_id: m for m in evidence.messages if isinstance(m, ToolResultMessage)}
    replies = [message for message in evidence.messages if isinstance(message, AssistantMessage)]
    return tuple(
        _invocation(call.name, call.arguments, results.get(call.id)) for reply in replies for call in reply.tool_calls
    )


def _invocation(name: str, arguments: Mapping[str, Any], result: ToolResultMessage | None) -> ToolInvocation:
    if result is None:
        return ToolInvocation(name, arguments, "", error="no result")
    duration_ms = None if result.duration_s is None else result.duration_s * 1000
    return ToolInvocation(name, arguments, result.text, duration_ms, result.text if result.is_error else None)
