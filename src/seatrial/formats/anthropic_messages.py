"""Anthropic's messages wire (docs.anthropic.com/en/api/messages, version 2023-06-01): messages out, replies in."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from seatrial.core.content import FileContent, ImageContent, ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.model import ModelRequest, ToolSpec
from seatrial.formats.encoded import EncodedMessages, call_arguments, is_of_same_model
from seatrial.formats.openai_chat import EMPTY_RESULT, NO_IMAGES, SAID_IMAGE, is_picture
from seatrial.formats.reading import DEFAULT_READING, Reading
from seatrial.formats.tolerant import parse_response
from seatrial.formats.tool_schemas import offered_parameters
from seatrial.formats.wire_json import encode

DEFAULT_MAX_TOKENS = 8192
LEGAL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
CACHE_MARK = b',"cache_control":{"type":"ephemeral"}}'
THINKING_TYPES = (b'{"type":"thinking"', b'{"type":"redacted_thinking"')


@dataclass(frozen=True, slots=True)
class AnthropicDialect:
    """What differs between hosts of this wire. ``reader`` is the ``provider/model`` that will read the messages."""

    reader: str = ""
    has_images: bool = True
    has_sampling: bool = True
    has_cache_marks: bool = True
    default_max_tokens: int = DEFAULT_MAX_TOKENS


ANTHROPIC = AnthropicDialect()


def to_anthropic(message: Message, dialect: AnthropicDialect = ANTHROPIC) -> dict[str, Any] | None:
    """A message as Anthropic's dict; None for one that says nothing. A tool result is a user message there."""
    own, after = anthropic_blocks(message, dialect)
    blocks = own + after
    if not blocks:
        return None
    return {"role": "assistant" if isinstance(message, AssistantMessage) else "user", "content": blocks}


def tool_to_anthropic(tool: ToolSpec) -> dict[str, Any]:
    """A tool on offer."""
    return {"name": tool.name, "description": tool.description, "input_schema": offered_parameters(tool.parameters)}


def from_anthropic(obj: Any, reading: Reading = DEFAULT_READING) -> AssistantMessage:
    """The message in a full response."""
    return parse_response(obj, reading)


def encode_anthropic_request(
    request: ModelRequest,
    *,
    model: str,
    dialect: AnthropicDialect,
    encoded: EncodedMessages,
    stream: bool,
    extra: Mapping[str, Any],
) -> bytes:
    """The body of a request, with cache marks behind the tools, the system prompt and the last message."""
    sampling = request.sampling
    max_tokens = dialect.default_max_tokens if sampling.max_tokens is None else sampling.max_tokens
    body: dict[str, Any] = {"model": model, "max_tokens": max_tokens}
    if request.tools:
        tools = bytes(encoded.tools(request.tools, tool_to_anthropic))
        body["tools"] = msgspec.Raw(bytes(_marked(tools[:-1], dialect)) + tools[-1:])
    system = _system_text(request)
    if system:
        body["system"] = [_marked(encode({"type": "text", "text": system}), dialect)]
    body["messages"] = _messages(request.messages, dialect, encoded)
    if dialect.has_sampling:
        told = {"temperature": sampling.temperature, "top_p": sampling.top_p}
        body |= {key: value for key, value in told.items() if value is not None}
    if request.response_schema is not None and _is_closed(request.response_schema):
        body["output_config"] = {"format": {"type": "json_schema", "schema": request.response_schema}}
    if stream:
        body["stream"] = True
    body.update(extra)
    return encode(body)


def anthropic_blocks(message: Message, dialect: AnthropicDialect) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A message's blocks, and those that follow the batch of tool results that it belongs to."""
    match message:
        case UserMessage():
            return list(_shown(message.blocks, dialect)), []
        case AssistantMessage():
            said = list(_said(message, dialect))
            return (said if any(block["type"] in ("text", "tool_use") for block in said) else []), []
        case ToolResultMessage():
            return _result(message, dialect)


def legal_id(call_id: str) -> str:
    """The id if Anthropic takes it, else one made from it: the same for the call and its result, and no other's."""
    if LEGAL_ID.match(call_id):
        return call_id
    digest = hashlib.blake2b(call_id.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return re.sub(r"[^A-Za-z0-9_-]", "_", call_id)[:40] + "_" + digest


def _messages(messages: Sequence[Message], dialect: AnthropicDialect, encoded: EncodedMessages) -> list[dict[str, Any]]:
    """Neighbours of one side become one message; what follows a batch of results comes behind all of them."""
    turns: list[dict[str, Any]] = []
    waiting: list[msgspec.Raw] = []
    for message, (own, after) in zip(messages, encoded.messages(messages), strict=True):
        if waiting and not isinstance(message, ToolResultMessage):
            _add(turns, "user", waiting)
            waiting = []
        if own:
            _add(turns, "assistant" if isinstance(message, AssistantMessage) else "user", own)
        waiting.extend(after)
    _add(turns, "user", waiting)
    if turns and turns[-1]["role"] == "user":
        last = turns[-1]["content"]
        last[-1] = _marked(bytes(last[-1]), dialect)
    return turns


def _add(turns: list[dict[str, Any]], role: str, blocks: Iterable[msgspec.Raw]) -> None:
    added = list(blocks)
    if not added:
        return
    if turns and turns[-1]["role"] == role:
        turns[-1]["content"].extend(added)
    else:
        turns.append({"role": role, "content": added})


def _marked(block: bytes, dialect: AnthropicDialect) -> msgspec.Raw:
    if not dialect.has_cache_marks or block.startswith(THINKING_TYPES):
        return msgspec.Raw(block)
    return msgspec.Raw(block[:-1] + CACHE_MARK)


def _system_text(request: ModelRequest) -> str:
    if request.response_schema is None or _is_closed(request.response_schema):
        return request.system_prompt
    schema = encode(request.response_schema).decode()
    wish = f"Answer with JSON alone, without a code fence. It must fit this JSON Schema: {schema}"
    return f"{request.system_prompt}\n\n{wish}" if request.system_prompt else wish


def _is_closed(schema: Any) -> bool:
    """Whether every object in the schema forbids other keys, which Anthropic's structured output asks for."""
    if isinstance(schema, list):
        return all(_is_closed(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    if (schema.get("type") == "object" or "properties" in schema) and schema.get("additionalProperties") is not False:
        return False
    return all(_is_closed(value) for value in schema.values())


def _said(message: AssistantMessage, dialect: AnthropicDialect) -> Iterable[dict[str, Any]]:
    is_own = is_of_same_model(message, dialect.reader)
    if is_picture(message):
        yield {"type": "text", "text": SAID_IMAGE}
        return
    for block in message.content:
        match block:
            case TextContent() if block.text.strip():
                yield {"type": "text", "text": block.text}
            case ToolCall():
                arguments = msgspec.Raw(encode_text(call_arguments(block)))
                yield {"type": "tool_use", "id": legal_id(block.id), "name": block.name, "input": arguments}
            case ReasoningContent(data=str(data)) if is_own:
                yield {"type": "redacted_thinking", "data": data}
            case ReasoningContent(signature=str(signature)) if is_own and block.wire_field is None:
                yield {"type": "thinking", "thinking": block.text, "signature": signature}
            case _:
                pass


def encode_text(text: str) -> bytes:
    """JSON text as bytes, with what UTF-8 cannot hold replaced."""
    return text.encode("utf-8", "replace")


def _result(message: ToolResultMessage, dialect: AnthropicDialect) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A result; pictures of a failed one stand behind it, where they are allowed."""
    blocks = list(_shown(message.content, dialect)) or [{"type": "text", "text": EMPTY_RESULT}]
    result: dict[str, Any] = {"type": "tool_result", "tool_use_id": legal_id(message.tool_call_id)}
    if not message.is_error:
        return [{**result, "content": blocks}], []
    texts = [block for block in blocks if block["type"] == "text"]
    others = [block for block in blocks if block["type"] != "text"]
    return [{**result, "content": texts or [{"type": "text", "text": EMPTY_RESULT}], "is_error": True}], others


def _shown(blocks: Iterable[msgspec.Struct], dialect: AnthropicDialect) -> Iterable[dict[str, Any]]:
    was_left_out = False
    for block in blocks:
        is_left_out = isinstance(block, ImageContent) and not dialect.has_images
        match block:
            case TextContent() if block.text.strip():
                yield {"type": "text", "text": block.text}
            case ImageContent() if dialect.has_images:
                source = {"type": "base64", "media_type": block.mime_type, "data": block.data}
                yield {"type": "image", "source": source}
            case ImageContent() if not was_left_out:
                yield {"type": "text", "text": NO_IMAGES}
            case FileContent():
                yield _document(block)
            case _:
                pass
        was_left_out = is_left_out


def _document(block: FileContent) -> dict[str, Any]:
    title = {"title": block.name} if block.name else {}
    if block.mime_type == "application/pdf":
        source = {"type": "base64", "media_type": block.mime_type, "data": block.data}
        return {"type": "document", "source": source, **title}
    try:
        text = base64.b64decode(block.data, validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return {
            "type": "text",
            "text": f"(the file {block.name or 'attached'} was left out: it is neither PDF nor text)",
        }
    return {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": text}, **title}
