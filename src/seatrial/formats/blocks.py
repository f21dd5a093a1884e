"""Content of every dialect, whole or as a delta -> the reply: text, blocks, reasoning, pictures, calls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from seatrial.core.content import ImageContent
from seatrial.formats.calls import Fragment
from seatrial.formats.reply import ReplyBuilder, TextPart
from seatrial.formats.wire_json import encode

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text", "thinking", "thought")
REASONING_TEXT_KEYS = ("thinking", "reasoning", "text", "reasoning_content", "summary", "content", "thought")
REASONING_ITEM = "reasoning_item"
TEXT_TYPES = frozenset({"text", "output_text", "input_text", "markdown", "string"})
REASONING_TYPES = frozenset({"thinking", "reasoning", "thought", "reasoning_text", "summary_text", "reasoning_content"})
CALL_TYPES = frozenset({"tool_use", "tool_call", "function_call", "function", "functionCall", "toolCall", "toolUse"})
ARGUMENT_KEYS = ("arguments", "input", "args", "parameters")
WRAPPED_CALLS = frozenset({"functionCall", "toolUse", "toolCall"})
DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)(?:;[\w=.-]+)*;base64,(.*)\Z", re.DOTALL)
MAX_DEPTH = 20


def read_content(builder: ReplyBuilder, content: Any, depth: int = 0) -> None:
    """Content as a string, a block, or a list of either."""
    match content:
        case None | bool():
            return
        case str():
            builder.add_text(content)
        case list() if depth < MAX_DEPTH:
            for item in content:
                read_content(builder, item, depth + 1)
        case dict() if depth < MAX_DEPTH:
            read_block(builder, content, depth)
        case int() | float():
            builder.add_text(str(content))
        case _:
            builder.warn("a part of the reply is nested too deep to be read")


def read_block(builder: ReplyBuilder, block: Mapping[str, Any], depth: int = 0) -> None:
    """One content block of any dialect; what is unknown is left out with a warning."""
    kind = block.get("type")
    if not isinstance(kind, str):
        kind = None
    if kind == "tool_calls" or (kind is None and isinstance(block.get("tool_calls"), list)):
        for item in _items(block.get("tool_calls")):
            read_call(builder, item)
    elif kind in CALL_TYPES or (kind is None and block.keys() & WRAPPED_CALLS):
        read_call(builder, block)
    elif kind == "refusal":
        builder.add_refusal(text_in(block.get("refusal")) or text_in(block.get("text")))
    elif kind == "redacted_thinking" and isinstance(block.get("data"), str):
        builder.begin_reasoning().data = block["data"]
    elif kind in REASONING_TYPES or block.get("thought") is True:
        read_reasoning_block(builder, block)
    elif kind is None and isinstance(block.get("reasoningContent"), dict):
        inner = block["reasoningContent"].get("reasoningText")
        read_reasoning_block(builder, inner if isinstance(inner, dict) else block["reasoningContent"])
    elif (image := image_in(block)) is not None:
        builder.add_image(image)
    elif kind in TEXT_TYPES or kind is None:
        read_content(builder, block.get("text", block.get("content")), depth + 1)
    elif isinstance(block.get("text"), str):
        builder.add_text(block["text"])
    else:
        builder.warn(f"a content block of type {kind[:60]!r} was left out")


def read_reasoning_block(builder: ReplyBuilder, block: Mapping[str, Any]) -> None:
    """A reasoning block with its signature, which keeps it apart from its neighbours."""
    if isinstance(block.get("encrypted_content"), str):
        read_reasoning_item(builder, block)
        return
    text = _reasoning_text(block)
    signature = block.get("signature")
    if isinstance(signature, str) and signature:
        part = builder.begin_reasoning()
        builder.extend_reasoning(part, text)
        part.signature = signature
    elif text:
        builder.add_reasoning(text)


def read_reasoning_item(builder: ReplyBuilder, item: Mapping[str, Any]) -> None:
    """An item of the Responses API: a block of its own."""
    settle_reasoning_item(builder, builder.begin_reasoning(), item)


def settle_reasoning_item(builder: ReplyBuilder, part: TextPart, item: Mapping[str, Any]) -> None:
    """What the whole item says beyond its pieces. One that is sealed is kept whole: it goes back as it came."""
    text, told = _reasoning_text(item), part.text
    if text.startswith(told):
        builder.extend_reasoning(part, text[len(told) :])
    if isinstance(item.get("encrypted_content"), str):
        part.wire_field = REASONING_ITEM
        part.signature = encode(item).decode()


def read_reasoning_fields(builder: ReplyBuilder, message: Mapping[str, Any]) -> None:
    """Reasoning that stands beside the content; endpoints that send it under two names mean one."""
    for field in REASONING_FIELDS:
        value = message.get(field)
        if value and (text := text_in(value)):
            builder.add_reasoning(text, field)
            break
    details = message.get("reasoning_details")
    if isinstance(details, list) and details:
        keep_reasoning_details(builder, details)


def keep_reasoning_details(builder: ReplyBuilder, details: list[Any]) -> None:
    """OpenRouter's blocks, kept as they are (their order counts) to be sent back unchanged."""
    part = builder.latest_reasoning("reasoning_details")
    if part is None:
        part = builder.begin_reasoning("reasoning_details")
    part.details.append(encode(details).decode()[1:-1])


def read_call(builder: ReplyBuilder, item: Any) -> None:
    """A call that came whole, in any shape."""
    fragment = fragment_of(item)
    if fragment is None:
        builder.warn("a tool call that is no object was left out")
        return
    keep_thought_signature(builder, item)
    builder.add_call(id=fragment.id, name=fragment.name, arguments=fragment.arguments)


def fragment_of(item: Any) -> Fragment | None:
    """A call, or a piece of one, with its labels as far as they were sent."""
    if not isinstance(item, dict):
        return None
    inner = item.get("function") or item.get("functionCall") or item.get("toolUse") or item.get("toolCall")
    source = inner if isinstance(inner, dict) else item
    name = next((n for n in (source.get("name"), item.get("name"), inner) if isinstance(n, str)), "")
    arguments = next((source[key] for key in ARGUMENT_KEYS if source.get(key) is not None), None)
    if arguments is None and source is not item:
        arguments = next((item[key] for key in ARGUMENT_KEYS if item.get(key) is not None), None)
    index = item.get("index")
    return Fragment(
        index=index if isinstance(index, int) and not isinstance(index, bool) else None,
        id=_id_in(item) or _id_in(source),
        name=name,
        arguments=arguments,
    )


def keep_thought_signature(builder: ReplyBuilder, item: Mapping[str, Any]) -> None:
    """Gemini's proof of thought, which comes with a call and must go back with it."""
    extra = item.get("extra_content")
    if isinstance(extra, dict) and extra:
        builder.begin_reasoning("extra_content").signature = encode(extra).decode()


def image_in(block: Mapping[str, Any]) -> ImageContent | None:
    """The picture in a block, when it is carried in the block itself."""
    url = block.get("image_url", block.get("url"))
    if isinstance(url, dict):
        url = url.get("url")
    if isinstance(url, str):
        found = DATA_URL.match(url)
        return ImageContent(found.group(2), found.group(1)) if found else None
    source = next(
        (part for key in ("source", "inlineData", "inline_data") if isinstance(part := block.get(key), dict)), block
    )
    if not isinstance(source, dict) or not isinstance(source.get("data"), str):
        return None
    mime_type = source.get("media_type") or source.get("mime_type") or source.get("mimeType")
    return ImageContent(source["data"], mime_type) if isinstance(mime_type, str) else None


def text_in(value: Any, depth: int = 0) -> str:
    """The text of a string, a list of strings, or blocks that hold text."""
    if isinstance(value, str):
        return value
    if depth >= MAX_DEPTH:
        return ""
    if isinstance(value, list):
        return "".join(text_in(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return next(
            (found for key in ("text", "content", "thinking") if (found := text_in(value.get(key), depth + 1))), ""
        )
    return ""


def _reasoning_text(block: Mapping[str, Any]) -> str:
    return next((found for key in REASONING_TEXT_KEYS if (found := text_in(block.get(key)))), "")


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _id_in(item: Mapping[str, Any]) -> str:
    for key in ("call_id", "tool_call_id", "toolUseId", "id"):
        found = item.get(key)
        if isinstance(found, str) and found.strip():
            return found
        if isinstance(found, int) and not isinstance(found, bool):
            return str(found)
    return ""
