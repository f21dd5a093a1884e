"""Messages as bytes, encoded once: a conversation's history is sent again with every turn."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from seatrial.core.content import ToolCall
from seatrial.core.messages import AssistantMessage, Message
from seatrial.core.model import ToolSpec
from seatrial.formats.wire_json import encode

Pieces = tuple[Sequence[object], Sequence[object]]
Parts = tuple[tuple[msgspec.Raw, ...], tuple[msgspec.Raw, ...]]
NO_PARTS: Parts = ((), ())


class EncodedMessages:
    """What ``make`` gives for a message, kept as bytes while the message lives.

    ``make`` returns the message's own dicts, and the dicts that follow its batch of tool results.
    """

    def __init__(self, make: Callable[[Message], Pieces]) -> None:
        self._make = make
        self._kept: dict[int, tuple[weakref.ref[Message], Parts]] = {}
        self._tools: tuple[tuple[ToolSpec, ...], msgspec.Raw] | None = None
        self._system: tuple[str, msgspec.Raw] | None = None

    def message(self, message: Message) -> Parts:
        """The parts of a message."""
        kept = self._kept.get(id(message))
        return self._encoded(message) if kept is None else kept[1]

    def messages(self, messages: Sequence[Message]) -> list[Parts]:
        """The parts of each message: a conversation grows at its end, so that all before it are mostly known."""
        kept = self._kept
        for message in reversed(messages):
            if id(message) in kept:
                break
            self._encoded(message)
        try:
            return [kept[id(message)][1] for message in messages]
        except KeyError:
            return [self.message(message) for message in messages]

    def _encoded(self, message: Message) -> Parts:
        key = id(message)
        own, after = self._make(message)
        parts = (_raw(own), _raw(after))
        self._kept[key] = (weakref.ref(message, lambda _gone: self._kept.pop(key, None)), parts)
        return parts

    def tools(self, tools: tuple[ToolSpec, ...], to_wire: Callable[[ToolSpec], dict[str, Any]]) -> msgspec.Raw:
        """The tools on offer; the last list asked for is kept."""
        if self._tools is None or self._tools[0] != tools:
            self._tools = (tools, msgspec.Raw(encode([to_wire(tool) for tool in tools])))
        return self._tools[1]

    def system(self, text: str, to_wire: Callable[[str], dict[str, Any]]) -> msgspec.Raw:
        """The system prompt; the last one asked for is kept."""
        if self._system is None or self._system[0] != text:
            self._system = (text, msgspec.Raw(encode(to_wire(text))))
        return self._system[1]

    @property
    def size(self) -> int:
        """How many messages are kept."""
        return len(self._kept)


def call_arguments(call: ToolCall) -> str:
    """A call's arguments as JSON text: as they came where that is valid and safe to send, always an object."""
    text = call.arguments_text
    if text is None or call.arguments_error is not None or call.is_repaired or "\\u0000" in text:
        return encode(call.arguments).decode()
    return text if isinstance(_value_in(text), dict) else encode(call.arguments).decode()


def kept_json(text: str, kind: type[dict[str, Any]] | type[list[Any]]) -> msgspec.Raw | None:
    """JSON of a provider's that a message keeps as text, to go back as it came; None where it is none of that kind."""
    return msgspec.Raw(text.encode()) if isinstance(_value_in(text), kind) else None


def is_of_same_model(message: AssistantMessage, reader: str) -> bool:
    """Whether ``reader`` (``provider/model``) wrote the message, so that reasoning may go back to it."""
    return reader == f"{message.provider}/{message.model}"


def _value_in(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def _raw(items: Sequence[object]) -> tuple[msgspec.Raw, ...]:
    return tuple([msgspec.Raw(encode(item)) for item in items])
