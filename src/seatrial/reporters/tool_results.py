"""What is told of a tool call besides the text that the model got: its arguments, what was cut, printed and asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from seatrial.core.json_form import read_messages
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.errors import RunError
from seatrial.reporters.words import dollars
from seatrial.runs.encoding import to_json


def beside_result(result: ToolResultMessage) -> Iterator[tuple[str, str]]:
    """Labels and texts, in the order of interest; a tool that only answered has none."""
    if result.arguments is not None:
        yield "ran with", to_json(result.arguments).decode()
    if result.left_out_chars:
        yield "cut", f"{result.left_out_chars:,} characters that the model was not shown; --json has the whole"
    details = result.details if isinstance(result.details, dict) else {}
    yield from _inner_run(details)
    for stream in ("stdout", "stderr"):
        written = details.get(stream)
        if isinstance(written, str) and written.strip():
            yield "printed", written.rstrip()


def _inner_run(details: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What the tool asked a model, and what that answered, where it did."""
    for message in _messages(details.get("transcript")):
        if isinstance(message, UserMessage):
            yield "asked", message.text
        elif isinstance(message, AssistantMessage):
            usage, cost_usd = message.usage, message.cost_usd
            tokens = f"{usage.input_tokens} + {usage.output_tokens} tokens" if usage.is_known else "tokens unknown"
            cost = "cost unknown" if cost_usd is None else dollars(cost_usd)
            said = message.text or message.error_message or message.stop_reason
            yield "answered", f"{said}  ({message.provider} {message.model}, {tokens}, {cost})"


def _messages(transcript: Any) -> tuple[Message, ...]:
    messages = transcript.get("messages") if isinstance(transcript, dict) else None
    if not isinstance(messages, list):
        return ()
    try:
        return read_messages(messages)
    except RunError:
        return ()
