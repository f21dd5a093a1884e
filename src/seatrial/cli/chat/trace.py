"""A turn in full: what was said, thought, called and given."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from seatrial.cli.chat.conversation import spent_in_words
from seatrial.cli.chat.face import Tone
from seatrial.core.content import ToolCall
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.usage import as_total
from seatrial.reporters.words import seconds


def trace_lines(messages: Iterable[Message]) -> Iterator[tuple[str, Tone]]:
    """The messages one by one, each piece with its tone."""
    for message in messages:
        match message:
            case UserMessage():
                yield f"user     {_indented(message.text)}", "note"
            case AssistantMessage():
                yield from _reply(message)
            case ToolResultMessage():
                yield from _result(message)


def _reply(message: AssistantMessage) -> Iterator[tuple[str, Tone]]:
    for part in message.reasoning:
        yield f"thinks   {_indented(part.text) if part.text else '(hidden by the provider)'}", "note"
    if message.text.strip():
        yield f"says     {_indented(message.text)}", "note"
    for call in message.tool_calls:
        yield f"calls    {call.name}\n{_block(_arguments(call))}", "tool"
    for attempt in message.failed_tries:
        yield f"failed   {_indented(attempt.reason)}", "warning"
    if message.error_message:
        yield f"error    {_indented(message.error_message)}", "error"
    used = spent_in_words(as_total(message.usage), message.cost_usd)
    yield f"used     {used} ({message.provider} {message.model}, {message.stop_reason})", "note"


def _result(message: ToolResultMessage) -> Iterator[tuple[str, Tone]]:
    word = "failed" if message.is_error else "gave"
    took = "" if message.duration_s is None else f" ({seconds(message.duration_s)})"
    yield f"{word:<9}{message.tool_name}{took}\n{_block(message.text)}", "error" if message.is_error else "tool"


def _arguments(call: ToolCall) -> str:
    if call.arguments_error is not None:
        return f"{call.arguments_text}\n{call.arguments_error}"
    return json.dumps(call.arguments, indent=2, ensure_ascii=False, default=str)


def _indented(text: str) -> str:
    return text.strip("\n").replace("\n", "\n         ")


def _block(text: str) -> str:
    return f"         {_indented(text)}"
