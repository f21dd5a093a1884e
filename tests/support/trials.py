"""Trials made by hand."""

from __future__ import annotations

from typing import Any

from seatrial.core.content import TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.metrics.base import Evidence

CallSpec = str | tuple[str, dict[str, Any]]


def trial_of(*turns: list[CallSpec], answer: str = "Done.", failed: tuple[int, ...] = ()) -> Evidence:
    """A trial whose turns make these calls; ``failed`` are the numbers (from 1) of calls that ended in an error."""
    messages: list[Message] = [UserMessage("hi")]
    number = 0
    for turn in turns:
        calls, results = [], []
        for spec in turn:
            number += 1
            name, arguments = (spec, {}) if isinstance(spec, str) else spec
            calls.append(ToolCall(f"c{number}", name, arguments))
            results.append(ToolResultMessage(f"c{number}", name, is_error=number in failed))
        messages += [AssistantMessage(tuple(calls), stop_reason="tool_calls"), *results]
    messages.append(AssistantMessage((TextContent(answer),)))
    return Evidence("hi", answer, tuple(messages))
