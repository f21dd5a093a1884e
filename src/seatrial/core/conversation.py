"""A history that grows: everything that happened, and beside it what is sent of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from seatrial.core.content import AssistantBlock, ToolCall, is_blank
from seatrial.core.history import (
    CallIds,
    clean_message,
    is_replayed,
    is_summary,
    repair_history,
    with_output,
)
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage
from seatrial.core.toolbox import Toolbox


class Conversation:
    """Keeps the record whole and the sent form valid while messages are added; each message is prepared once.

    ``used_ids`` are the ids of all calls. Whoever adds a reply with calls adds a result for each of them, in order,
    before the next request.
    """

    def __init__(self, history: Sequence[Message], tools: Toolbox) -> None:
        self.record: list[Message] = [clean_message(message) for message in history]
        self.used_ids = CallIds(_call_ids(self.record))
        self._tools = tools
        self._sent: list[Message] = []
        self._is_reply_sent = True
        if self.record:
            self.prepare()
            self.used_ids.add(_call_ids(self._sent))

    def sent(self) -> tuple[Message, ...]:
        """The messages as the next request carries them."""
        return tuple(self._sent)

    def add(self, message: Message) -> None:
        """Puts a message at the end."""
        self.record.append(message)
        if is_summary(message):
            self.prepare()
        elif isinstance(message, AssistantMessage):
            self._is_reply_sent = is_replayed(message)
            if self._is_reply_sent:
                self._sent.append(with_wire_names(message, self._tools))
        elif isinstance(message, ToolResultMessage):
            if self._is_reply_sent:
                self._sent.append(with_wire_names(with_output(message), self._tools))
        elif not is_blank(message.content):
            self._sent.append(message)

    def use_tools(self, tools: Toolbox) -> None:
        """Names tools as this toolbox does from now on; names already sent stay."""
        self._tools = tools

    def prepare(self) -> None:
        """Prepares the whole record anew; needed where it was not added to at its end alone."""
        self._sent = [with_wire_names(message, self._tools) for message in repair_history(self.record)]


def with_wire_names(message: Message, tools: Toolbox) -> Message:
    """The message with each tool under the name that the model knows it by; mostly the same object."""
    if isinstance(message, ToolResultMessage):
        name = tools.wire_name(message.tool_name)
        return message if name == message.tool_name else msgspec.structs.replace(message, tool_name=name)
    if not isinstance(message, AssistantMessage):
        return message
    if all(not isinstance(block, ToolCall) or tools.wire_name(block.name) == block.name for block in message.content):
        return message
    return msgspec.structs.replace(message, content=tuple(_wire_block(block, tools) for block in message.content))


def with_own_names(message: AssistantMessage, tools: Toolbox) -> AssistantMessage:
    """The reply with each tool under its own name; mostly the same object."""
    if all(not isinstance(block, ToolCall) or tools.name_of(block.name) == block.name for block in message.content):
        return message
    return msgspec.structs.replace(
        message,
        content=tuple(
            msgspec.structs.replace(block, name=tools.name_of(block.name)) if isinstance(block, ToolCall) else block
            for block in message.content
        ),
    )


def _call_ids(messages: Iterable[Message]) -> set[str]:
    replies = (message for message in messages if isinstance(message, AssistantMessage))
    return {call.id for reply in replies for call in reply.tool_calls}


def _wire_block(block: AssistantBlock, tools: Toolbox) -> AssistantBlock:
    return msgspec.structs.replace(block, name=tools.wire_name(block.name)) if isinstance(block, ToolCall) else block
