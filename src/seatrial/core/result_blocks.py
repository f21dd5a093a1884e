"""Any Python value as content blocks for a model: text as it is, pictures as pictures, the rest as JSON."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from seatrial.core.content import FileContent, ImageContent, ResultBlock, TextContent
from seatrial.core.values import text_of_value

NO_OUTPUT = "(no output)"
_BLOCKS = (TextContent, ImageContent, FileContent)
_IMAGE_SIGNATURES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))


def blocks_of(value: Any) -> tuple[ResultBlock, ...]:
    """The blocks that say ``value``: never empty, never raising for a value that has a text form.

    Content blocks, and lists that hold one, pass through; a list without any is one JSON text. Pictures are bytes of
    PNG, JPEG, GIF or WebP, and objects that show themselves as PNG.
    """
    if value is None or value == () or (isinstance(value, str | bytes) and not value):
        return (TextContent(NO_OUTPUT),)
    if isinstance(value, list | tuple) and holds_blocks(value):
        return tuple(_block(item) for item in value)
    return (_block(value),)


def holds_blocks(value: Any) -> bool:
    """Whether the value is a content block or a picture, or a list with one in it."""
    if isinstance(value, list | tuple):
        return any(_is_block(item) for item in value)
    return _is_block(value)


def _is_block(value: Any) -> bool:
    return isinstance(value, _BLOCKS) or _picture(value) is not None


def _block(value: Any) -> ResultBlock:
    if isinstance(value, _BLOCKS):
        return value
    return _picture(value) or TextContent(text_of_value(value) or NO_OUTPUT)


def _picture(value: Any) -> ImageContent | None:
    """A picture given as bytes, or as an object that shows itself as PNG the way notebooks ask for it."""
    if isinstance(value, str | int | float | dict | list):
        return None
    if isinstance(value, bytes | bytearray | memoryview):
        data = bytes(value)
        for signature, mime_type in _IMAGE_SIGNATURES:
            if data.startswith(signature):
                return ImageContent(b64encode(data).decode("ascii"), mime_type)
        is_webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
        return ImageContent(b64encode(data).decode("ascii"), "image/webp") if is_webp else None
    show = getattr(type(value), "_repr_png_", None)
    png = show(value) if callable(show) else None
    return ImageContent(b64encode(png).decode("ascii"), "image/png") if isinstance(png, bytes) else None
