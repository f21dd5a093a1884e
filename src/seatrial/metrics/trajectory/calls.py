"""The tool calls of a trial, read from its messages."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any

import msgspec

from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage
from seatrial.core.model import ToolSpec

_SHOWN_LENGTH = 80


class MadeCall(msgspec.Struct, frozen=True):
    """One call that the agent made. ``number`` and ``turn`` count from 1; ``is_error`` tells of its result.

    ``arguments`` are the model's; ``ran_with`` are those that the tool got, None where they are the same or it did not
    run. ``aliases`` are names that people have for the tool besides.
    """

    number: int
    turn: int
    name: str
    arguments: dict[str, Any]
    is_error: bool = False
    aliases: tuple[str, ...] = ()
    ran_with: dict[str, Any] | None = None

    def given(self, key: str) -> list[Any]:
        """The argument as the tool got it and as the model wrote it; empty where it was not given."""
        versions = (self.ran_with, self.arguments)
        return [version[key] for version in versions if version is not None and key in version]

    def is_of(self, names: Collection[str]) -> bool:
        """Whether the tool has one of the names."""
        return self.name in names or any(alias in names for alias in self.aliases)

    @property
    def shown(self) -> str:
        """The call as people write it, shortened."""
        arguments = ", ".join(f"{key}={shown_value(value)}" for key, value in self.arguments.items())
        return f"{self.name}({shortened(arguments)})" + (" [failed]" if self.is_error else "")


def calls_of(messages: Iterable[Message], tools: Iterable[ToolSpec] = ()) -> list[MadeCall]:
    """Every call in the order in which the model asked for it; unreadable and denied ones are failed calls.

    ``tools`` are those that were offered: they know what people call them.
    """
    aliases = {tool.name: tool.aliases for tool in tools}
    calls: list[MadeCall] = []
    latest: dict[str, int] = {}
    turn = 0
    for message in messages:
        if isinstance(message, AssistantMessage):
            turn += 1
            for call in message.tool_calls:
                latest[call.id] = len(calls)
                is_error, known = call.arguments_error is not None, aliases.get(call.name, ())
                calls.append(MadeCall(len(calls) + 1, turn, call.name, call.arguments, is_error, known))
        elif isinstance(message, ToolResultMessage) and message.tool_call_id in latest:
            place = latest[message.tool_call_id]
            is_error = message.is_error or calls[place].is_error
            calls[place] = msgspec.structs.replace(calls[place], is_error=is_error, ran_with=message.arguments)
    return calls


def shown_value(value: object) -> str:
    """A JSON value on one line."""
    return json.dumps(value, ensure_ascii=False, default=str)


def shortened(text: str, length: int = _SHOWN_LENGTH) -> str:
    """The text, cut in the middle where it is too long."""
    if len(text) <= length:
        return text
    half = (length - 1) // 2
    return f"{text[:half]}…{text[-half:]}"
