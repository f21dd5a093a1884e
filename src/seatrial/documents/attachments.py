"""Files that go with a question, in the form in which a model takes them."""

from __future__ import annotations

import base64
from pathlib import Path

from seatrial.core.content import ImageContent, TextContent, UserBlock
from seatrial.documents.base import ReadOptions
from seatrial.documents.catalog import read_bytes, read_document
from seatrial.errors import DocumentError

_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def blocks_of_file(
    path: Path, *, file_type: str, source: str, description: str | None, options: ReadOptions
) -> list[UserBlock]:
    """A heading with the file's name and description, then its content: a picture as it is, else as text.

    Raises `DocumentError` when the file is missing, empty or unreadable.
    """
    heading = f"File {source}" + (f": {description}" if description else "")
    if file_type == "image":
        return [TextContent(heading), _image(path, source, options)]
    document = read_document(path, file_type=file_type, source=source, options=options)
    if not document.text.strip():
        raise DocumentError(f"{source} holds no text")
    return [TextContent(f"{heading}\n\n{document.text}")]


def _image(path: Path, source: str, options: ReadOptions) -> ImageContent:
    data = read_bytes(path, source, options.limits)
    kind = media_type_of(data)
    if kind is None:
        raise DocumentError(f"{source} is no PNG, JPEG, GIF or WebP picture", hint="save it as PNG")
    return ImageContent(base64.b64encode(data).decode("ascii"), kind)


def media_type_of(data: bytes) -> str | None:
    """The picture's media type by its first bytes, whatever its name says; None when it is no known picture."""
    for signature, kind in _SIGNATURES:
        if data.startswith(signature):
            return kind
    return "image/webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else None
