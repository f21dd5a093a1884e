"""Content blocks: what messages are made of. All are immutable values with a plain JSON form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec


class TextContent(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="text", omit_defaults=True):
    """A piece of text."""

    text: str


class ImageContent(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="image", omit_defaults=True):
    """A picture: ``data`` is base64 without line breaks, ``mime_type`` such as ``image/png``."""

    data: str
    mime_type: str


class FileContent(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="file", omit_defaults=True):
    """A document sent as it is (a PDF, say): base64 ``data``, its media type and a name for people."""

    data: str
    mime_type: str
    name: str = ""


class ReasoningContent(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="reasoning", omit_defaults=True):
    """What the model thought before it answered.

    ``signature`` is the provider's opaque proof, sent back unchanged to the same model or not at all; ``data`` is the
    opaque body of a redacted block; ``wire_field`` is the name of the field that it came in (``reasoning_content``,
    ``reasoning``, ...), because some endpoints want it back under that name.
    """

    text: str
    signature: str | None = None
    data: str | None = None
    wire_field: str | None = None

    @property
    def is_redacted(self) -> bool:
        """Whether the provider hid the text."""
        return self.data is not None


class ToolCall(msgspec.Struct, frozen=True, tag_field="type", tag="function", omit_defaults=True):
    """One call that the model asks for; its JSON form has ``type`` = ``function``.

    ``arguments`` is always a dict. ``arguments_text`` is the text as it came, sent back byte for byte while it is valid
    JSON. ``arguments_error`` is set when the text could not be read: such a call is never run, the model is told why.
    ``is_repaired`` says that a slip of syntax was mended.
    """

    id: str
    name: str
    arguments: dict[str, Any] = {}
    arguments_text: str | None = None
    arguments_error: str | None = None
    is_repaired: bool = False

    @property
    def type(self) -> Literal["function"]:
        """The kind of call; there is one kind."""
        return "function"


UserBlock = TextContent | ImageContent | FileContent
ResultBlock = TextContent | ImageContent | FileContent
AssistantBlock = TextContent | ImageContent | ReasoningContent | ToolCall


def text_of(blocks: str | tuple[msgspec.Struct, ...]) -> str:
    """The text blocks joined in order, nothing between them; other blocks are passed over."""
    if isinstance(blocks, str):
        return blocks
    return "".join([block.text for block in blocks if isinstance(block, TextContent)])


def is_blank(blocks: str | Sequence[msgspec.Struct]) -> bool:
    """Whether the blocks hold nothing but blank text."""
    if isinstance(blocks, str):
        return not blocks or blocks.isspace()
    return all(isinstance(block, TextContent) and not block.text.strip() for block in blocks)
