"""What a finished trial shows: to its metrics, and to people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from seatrial.core.messages import Message, ToolResultMessage
from seatrial.metrics.base import Evidence
from seatrial.runner.plan import first_input

if TYPE_CHECKING:
    from seatrial.config.cases import CaseConfig
    from seatrial.core.result import RunResult


def evidence_for(config: CaseConfig, result: RunResult, duration_s: float) -> Evidence:
    """Everything that a metric may look at. The context: what the case names, then what searches found."""
    messages = tuple(result.transcript.messages)
    return Evidence(
        input=first_input(config),
        output=result.text,
        messages=messages,
        ground_truth=config.ground_truth,
        context=(*config.retrieval_context, *_passages(messages)),
        duration_s=duration_s,
        cost_usd=result.cost_usd,
    )


def expected_tools(config: CaseConfig) -> tuple[str, ...] | None:
    """The names of the tools that the case expects, each as often as it should be called; None when it does not say."""
    if config.expected_tools is None:
        return None
    return tuple(tool.name for tool in config.expected_tools for _ in range(1 if tool.count is None else tool.count))


def called_tools(result: RunResult) -> tuple[str, ...]:
    """The names of the tools that were called, in order."""
    return tuple(call.name for call in result.transcript.tool_calls)


def _passages(messages: tuple[Message, ...]) -> Iterator[str]:
    for message in messages:
        if not isinstance(message, ToolResultMessage) or not isinstance(message.details, dict):
            continue
        results = message.details.get("results")
        for found in results if isinstance(results, list) else ():
            if isinstance(found, dict) and isinstance(found.get("matched_content"), str):
                yield found["matched_content"]
