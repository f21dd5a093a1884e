"""What a call gave, as content blocks for a model."""

from __future__ import annotations

import binascii
from base64 import b64decode
from typing import Any

from seatrial.core.content import ImageContent, ResultBlock, TextContent
from seatrial.core.result_blocks import NO_OUTPUT, blocks_of
from seatrial.core.values import text_of_value
from seatrial.tools.mcp.remote import RemoteResult

NO_REASON = "(the tool failed and gave no reason)"
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_SHOWN_CHARS = 200


def result_blocks(result: RemoteResult) -> tuple[ResultBlock, ...]:
    """The blocks of a result, never none; what a model cannot take is named with its kind, size and place."""
    blocks = [block for content in result.content for block in _blocks(content)]
    if not _says_something(blocks) and result.structured_content is not None:
        blocks = [TextContent(text_of_value(result.structured_content))]
    if _says_something(blocks):
        return tuple(blocks)
    return (TextContent(NO_REASON if result.is_error else NO_OUTPUT),)


def _says_something(blocks: list[ResultBlock]) -> bool:
    return any(not isinstance(block, TextContent) or block.text for block in blocks)


def _blocks(content: Any) -> tuple[ResultBlock, ...]:
    if isinstance(content, str):
        return (TextContent(content),)
    if not isinstance(content, dict):
        return (TextContent(text_of_value(content)),)
    match content.get("type"):
        case "text":
            text = content.get("text")
            return (TextContent(text if isinstance(text, str) else "" if text is None else text_of_value(text)),)
        case "image":
            return (_picture(content.get("data"), content.get("mimeType"), "image"),)
        case "audio":
            return (_named("audio", content.get("mimeType"), content.get("data")),)
        case "resource":
            return _resource(content.get("resource"))
        case "resource_link":
            return (_link(content),)
        case kind:
            return (
                TextContent(f"[content of the unknown type {kind!r} left out: {_shortened(text_of_value(content))}]"),
            )


def _resource(resource: Any) -> tuple[ResultBlock, ...]:
    if not isinstance(resource, dict):
        return (TextContent("[resource without content]"),)
    uri, mime_type = resource.get("uri"), resource.get("mimeType")
    text = resource.get("text")
    if isinstance(text, str):
        return (TextContent(f"[resource {uri}]\n{text}"),)
    blob = resource.get("blob")
    if mime_type in PICTURES:
        return (TextContent(f"[resource {uri}]"), _picture(blob, mime_type, "resource", uri))
    return (_named("resource", mime_type, blob, uri),)


def _link(link: dict[str, Any]) -> TextContent:
    size = link.get("size")
    parts = [link.get("title") or link.get("name"), link.get("mimeType"), f"{size:,} bytes" if _is_size(size) else None]
    about = ", ".join(str(part) for part in parts if part)
    described = f": {link['description']}" if isinstance(link.get("description"), str) else ""
    return TextContent(f"[link to {link.get('uri')}{f' ({about})' if about else ''}{described}]")


def _is_size(size: Any) -> bool:
    return isinstance(size, int) and not isinstance(size, bool)


def _picture(data: Any, mime_type: Any, kind: str, uri: Any = None) -> ResultBlock:
    """The picture, by its own first bytes where its type is not told."""
    if isinstance(mime_type, str) and mime_type not in PICTURES:
        return _named(kind, mime_type, data, uri)
    decoded = _decoded(data)
    if not decoded:
        return _named(kind, mime_type, data, uri)
    if mime_type is None:
        found = blocks_of(decoded)[0]
        return found if isinstance(found, ImageContent) else _named(kind, mime_type, data, uri)
    return ImageContent("".join(data.split()), mime_type)


def _named(kind: str, mime_type: Any, data: Any, uri: Any = None) -> TextContent:
    decoded = _decoded(data)
    size = f"{len(decoded):,} bytes" if decoded is not None else "unreadable"
    parts = [kind, uri, mime_type if isinstance(mime_type, str) else "of unknown type", size]
    return TextContent(f"[{' '.join(str(part) for part in parts if part)}; not shown to the model]")


def _decoded(data: Any) -> bytes | None:
    try:
        return b64decode("".join(data.split()), validate=True) if isinstance(data, str) else None
    except (binascii.Error, ValueError):
        return None


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"
