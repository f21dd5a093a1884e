"""Large contents apart from the messages that hold them: kept once, by the hash of what they are."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import msgspec

from seatrial.core.content import FileContent, ImageContent
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage

_PREFIX = "blob:"  # base64 has no colon, so a reference is never taken for data
_APART_FROM_CHARACTERS = 1024


def blob_hash(content: bytes) -> str:
    """The name under which ``content`` is kept."""
    return sha256(content).hexdigest()


def take_out(messages: tuple[Message, ...], keep: Callable[[bytes], str]) -> tuple[Message, ...]:
    """The messages with each large picture and file replaced by a reference; ``keep`` stores it and gives its hash."""

    def shorten(block: msgspec.Struct) -> msgspec.Struct:
        if isinstance(block, ImageContent | FileContent) and len(block.data) > _APART_FROM_CHARACTERS:
            return msgspec.structs.replace(block, data=_PREFIX + keep(block.data.encode()))
        return block

    return tuple(_with_blocks(message, shorten) for message in messages)


def put_back(messages: tuple[Message, ...], find: Callable[[str], bytes]) -> tuple[Message, ...]:
    """The reverse of `take_out`; ``find`` gives the content of a hash."""

    def restore(block: msgspec.Struct) -> msgspec.Struct:
        if isinstance(block, ImageContent | FileContent) and block.data.startswith(_PREFIX):
            return msgspec.structs.replace(block, data=find(block.data.removeprefix(_PREFIX)).decode())
        return block

    return tuple(_with_blocks(message, restore) for message in messages)


def _with_blocks(message: Message, change: Callable[[msgspec.Struct], msgspec.Struct]) -> Message:
    if isinstance(message.content, str) or not _has_media(message):
        return message
    return msgspec.structs.replace(message, content=tuple(change(block) for block in message.content))


def _has_media(message: UserMessage | AssistantMessage | ToolResultMessage) -> bool:
    return any(isinstance(block, ImageContent | FileContent) for block in message.content)
