"""Text on its way into the history: cleaned of what no wire can carry, and no longer than it may be."""

from __future__ import annotations

import unicodedata
from operator import is_not
from typing import Any, TypeVar

import msgspec

from seatrial.core.content import ReasoningContent, TextContent, ToolCall

Block = TypeVar("Block", bound=msgspec.Struct)


_INVISIBLE_CATEGORIES = frozenset(("Cc", "Cf", "Zl", "Zp", "Zs"))
# What Unicode counts as letters, marks and signs although it is drawn as nothing: fillers, joiners, a braille blank.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | set(map(chr, range(0xFE00, 0xFE10)))


def shows_nothing(text: str) -> bool:
    """Whether nothing of the text can be seen: it is empty, or blanks, controls and other invisible characters only."""
    return all(map(_is_invisible, text.strip()))


def _is_invisible(character: str) -> bool:
    return unicodedata.category(character) in _INVISIBLE_CATEGORIES or character in _INVISIBLE


def clean_text(text: str) -> str:
    """The text without NUL and without halves of surrogate pairs; each becomes U+FFFD, a whole pair its character."""
    if text.isascii():
        return text.replace("\0", "\ufffd") if "\0" in text else text
    try:
        text.encode()
    except UnicodeEncodeError:
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\0", "\ufffd") if "\0" in text else text


def clean_blocks(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks with all their text cleaned; the same tuple when there was nothing to clean."""
    cleaned = [_clean_block(block) for block in blocks]
    has_changed = any(map(is_not, cleaned, blocks))
    return tuple(cleaned) if has_changed else blocks


def clean_json(value: Any) -> Any:
    """A copy of a JSON value with every string in it cleaned, keys too."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_json(key): clean_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean_json(item) for item in value]
    return value


def shorten_middle(text: str, limit: int) -> str:
    """The text, or its head and its tail with a note between them that says how much there was.

    The kept text has ``limit`` characters, the note comes on top.
    """
    if len(text) <= limit:
        return text
    head = limit - limit // 2
    tail = limit // 2
    left_out = len(text) - limit
    note = f"\n\n[{left_out:,} of {len(text):,} characters left out here]\n\n"
    return text[:head] + note + (text[-tail:] if tail else "")


def excerpt(text: str, max_bytes: int) -> str:
    """The beginning of the text in at most ``max_bytes`` bytes of UTF-8, with an ellipsis where it goes on."""
    encoded = text[:max_bytes].encode("utf-8", "replace")
    if len(encoded) <= max_bytes and len(text) <= max_bytes:
        return text
    return encoded[: max(max_bytes - 3, 0)].decode("utf-8", "ignore") + "…"


def _is_clean_json(value: Any) -> bool:
    try:
        return b"\\u0000" not in msgspec.json.encode(value)
    except UnicodeEncodeError:
        return False


def _clean_block(block: Block) -> Block:
    if isinstance(block, (TextContent, ReasoningContent)):
        text = clean_text(block.text)
        return block if text is block.text else msgspec.structs.replace(block, text=text)
    return _clean_call(block) if isinstance(block, ToolCall) else block


def _clean_call(call: Any) -> Any:
    """The call as it is, or with clean arguments; text that was not clean is not sent back as it came."""
    raw = call.arguments_text
    try:
        if _is_clean_json((call.arguments, call.id, call.name)) and (raw is None or clean_text(raw) is raw):
            return call
        arguments = clean_json(call.arguments)
    except RecursionError:
        return msgspec.structs.replace(call, arguments={}, arguments_error="they are nested too deeply")
    return msgspec.structs.replace(
        call,
        id=clean_text(call.id),
        name=clean_text(call.name),
        arguments=arguments,
        arguments_text=None if raw is None or call.arguments_error is None else clean_text(raw),
    )
