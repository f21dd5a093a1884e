"""Trials as a store keeps them, one of each outcome."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from seatrial.core.content import TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, ToolResultMessage, UserMessage
from seatrial.core.usage import UsageTotal
from seatrial.metrics.base import Score
from seatrial.runs.records import TrialError, TrialRecord

NOON = datetime(2026, 5, 3, 12, tzinfo=UTC)


def trial(index: int = 0, outcome: str = "passed", **changes: Any) -> TrialRecord:
    fields: dict[str, Any] = {
        "case": f"case {index}",
        "case_index": index,
        "outcome": outcome,
        "started_at": NOON,
        "input": "Where is it?",
        "output": "On its way.",
        "line": 10 + index,
        "duration_s": 0.5,
        "stop_reason": "stop",
        "usage": UsageTotal(input_tokens=10, output_tokens=4, requests=1),
        "messages": (
            UserMessage("Where is it?", NOON),
            AssistantMessage((TextContent("On its way."),), timestamp=NOON),
        ),
    }
    return TrialRecord(**(fields | changes))


def a_few() -> list[TrialRecord]:
    """One trial of each outcome."""
    call = AssistantMessage((ToolCall("c1", "order_status", {"order_id": "A-1"}),), stop_reason="tool_calls")
    answer = ToolResultMessage("c1", "order_status", (TextContent("shipped"),), duration_s=0.012)
    return [
        trial(
            0,
            scores=(Score("f1_score", "passed", 0.75, 0.5), Score("expected_tools", "passed", 1.0, 1.0)),
            expected_tools=("order_status",),
            called_tools=("order_status",),
            messages=(UserMessage("Where is it?"), call, answer, AssistantMessage((TextContent("On its way."),))),
        ),
        trial(
            1,
            "failed",
            scores=(
                Score("f1_score", "failed", 0.25, 0.5, "0.25 < 0.5: 1 of 4 words"),
                Score("expected_tools", "failed", 0.0, 1.0, "0 < 1: missing: order_status"),
            ),
            ground_truth="It arrives tomorrow.",
            expected_tools=("order_status",),
            called_tools=("search",),
        ),
        trial(2, "errored", output="", error=TrialError("provider", "401: wrong key", "set the key"), messages=()),
        trial(3, "unchecked"),
        trial(4, "not_run", output="", reason="skipped: later", usage=UsageTotal(), messages=()),
    ]
