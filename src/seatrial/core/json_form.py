"""Messages from their JSON form, also from the spellings of other tools."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from seatrial.core.messages import Message
from seatrial.errors import RunError

ROLES = {"toolResult": "tool", "tool_result": "tool"}
STOP_REASONS = {"end_turn": "stop"}
BLOCK_TYPES = {"tool_call": "function", "toolCall": "function", "thinking": "reasoning"}
CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")


def read_messages(raw: Iterable[Any]) -> tuple[Message, ...]:
    """Messages from plain data. Raises `RunError` that names the message which is none.

    Read besides our own form: the role ``toolResult``, the stop reason ``end_turn``, ``tool_calls`` beside the content,
    an assistant's content as a string, and field names in camelCase.
    """
    messages: list[Message] = []
    for position, item in enumerate(raw):
        try:
            messages.append(msgspec.convert(_own_form(item), Message))
        except (msgspec.ValidationError, TypeError, ValueError) as error:
            raise RunError(f"message {position} of the history cannot be read: {error}") from error
    return tuple(messages)


def _own_form(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    message = {_snake(key): value for key, value in item.items()}
    message["role"] = ROLES.get(message.get("role", ""), message.get("role"))
    if "stop_reason" in message:
        message["stop_reason"] = STOP_REASONS.get(message["stop_reason"], message["stop_reason"])
    content = message.get("content")
    content = [] if content is None else content
    if message["role"] != "user" and isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if isinstance(content, list):
        content = [_own_block(block) for block in content]
        content += [_own_block({**call, "type": "function"}) for call in message.pop("tool_calls", None) or ()]
    message["content"] = content
    return message


def _own_block(block: Any) -> Any:
    if not isinstance(block, dict):
        return block
    named = {_snake(key): value for key, value in block.items()}
    named["type"] = BLOCK_TYPES.get(named.get("type", ""), named.get("type"))
    return named


def _snake(name: str) -> str:
    return CAPITAL.sub(lambda found: "_" + found[1].lower(), name)
