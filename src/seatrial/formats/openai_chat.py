"""OpenAI's chat completions wire (platform.openai.com/docs/api-reference/chat, 2026): messages out, replies in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from seatrial.core.content import FileContent, ImageContent, ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.model import ModelRequest, ToolSpec
from seatrial.formats.blocks import REASONING_FIELDS
from seatrial.formats.encoded import EncodedMessages, call_arguments, is_of_same_model, kept_json
from seatrial.formats.reading import DEFAULT_READING, Reading
from seatrial.formats.tolerant import parse_response
from seatrial.formats.tool_schemas import offered_parameters
from seatrial.formats.wire_json import encode

EMPTY_RESULT = "(no output)"
SAID_IMAGE = "(an image, which cannot be sent back)"
NO_IMAGES = "(an image was left out: this model cannot see images)"


class ChatDialect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an endpoint wants of the chat wire; the defaults are OpenAI's own.

    ``blocks``: which text-only content goes out as a list of blocks: ``all``; ``input`` (what the user and the tools
    said; system and assistant text as plain strings); ``none``. ``has_result_images``: pictures may stand in a tool
    result; else they follow in a user message. ``returns_reasoning``: reasoning goes back with the tool calls that it
    led to. ``json_mode``: how JSON is asked for; without ``json_schema`` the schema is told in words too.
    """

    blocks: Literal["all", "input", "none"] = "all"
    system_role: str = "system"
    max_tokens_field: str = "max_completion_tokens"
    has_images: bool = True
    has_files: bool = True
    has_result_images: bool = False
    has_sampling: bool = True
    has_seed: bool = True
    has_stream_usage: bool = True
    json_mode: Literal["json_schema", "json_object", "none"] = "json_schema"
    returns_reasoning: bool = True


OPENAI_CHAT = ChatDialect()


def system_to_openai(text: str, dialect: ChatDialect = OPENAI_CHAT) -> dict[str, Any]:
    """The system prompt as a message."""
    content = [_text_block(text)] if dialect.blocks == "all" else text
    return {"role": dialect.system_role, "content": content}


def tool_to_openai(tool: ToolSpec) -> dict[str, Any]:
    """A tool as an offered function."""
    parameters = offered_parameters(tool.parameters)
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def to_openai(message: Message, dialect: ChatDialect = OPENAI_CHAT, reader: str = "") -> dict[str, Any] | None:
    """A message as OpenAI's dict; None for an assistant message that says nothing.

    ``reader`` is the ``provider/model`` that will read it: reasoning goes back to its writer alone.
    """
    match message:
        case UserMessage():
            return {"role": "user", "content": _input_content(message.blocks, dialect)}
        case AssistantMessage():
            return _assistant(message, dialect, reader)
        case ToolResultMessage():
            return {"role": "tool", "tool_call_id": message.tool_call_id, "content": _result_content(message, dialect)}


def shown_result(message: ToolResultMessage, dialect: ChatDialect) -> dict[str, Any] | None:
    """The user message that carries a result's pictures and files to an endpoint that takes only text in results."""
    shown = [block for block in message.content if not isinstance(block, TextContent)]
    if not shown or dialect.has_result_images or not (dialect.has_images or dialect.has_files):
        return None
    label = _text_block(f"From the result of {message.tool_name} ({message.tool_call_id}):")
    return {"role": "user", "content": [label, *(_shown_block(block, dialect) for block in shown)]}


def from_openai(obj: Any, reading: Reading = DEFAULT_READING) -> AssistantMessage:
    """The message in a full response or in a bare choice."""
    return parse_response(obj, reading)


def encode_chat_request(
    request: ModelRequest,
    *,
    model: str,
    dialect: ChatDialect,
    encoded: EncodedMessages,
    stream: bool,
    extra: Mapping[str, Any],
) -> bytes:
    """The body of a request. Parts that stay the same stay the same byte for byte, so that prompt caches hit."""
    body: dict[str, Any] = {"model": model, "messages": _messages(request, dialect, encoded)}
    if request.tools:
        body["tools"] = encoded.tools(request.tools, tool_to_openai)
    body.update(_settings(request, dialect))
    if stream:
        body["stream"] = True
        if dialect.has_stream_usage:
            body["stream_options"] = {"include_usage": True}
    body.update(extra)
    return encode(body)


def _messages(request: ModelRequest, dialect: ChatDialect, encoded: EncodedMessages) -> list[msgspec.Raw]:
    parts: list[msgspec.Raw] = []
    system = _system_text(request, dialect)
    if system:
        parts.append(encoded.system(system, lambda text: system_to_openai(text, dialect)))
    pictures: list[msgspec.Raw] = []
    for message, (own, after) in zip(request.messages, encoded.messages(request.messages), strict=True):
        if pictures and not isinstance(message, ToolResultMessage):
            parts.extend(pictures)
            pictures.clear()
        parts += own
        if after:
            pictures += after
    parts.extend(pictures)
    return parts


def _system_text(request: ModelRequest, dialect: ChatDialect) -> str:
    if request.response_schema is None or dialect.json_mode == "json_schema":
        return request.system_prompt
    schema = encode(request.response_schema).decode()
    wish = f"Answer with JSON alone, without a code fence. It must fit this JSON Schema: {schema}"
    return f"{request.system_prompt}\n\n{wish}" if request.system_prompt else wish


def _settings(request: ModelRequest, dialect: ChatDialect) -> dict[str, Any]:
    sampling = request.sampling
    settings: dict[str, Any] = {}
    if dialect.has_sampling:
        settings |= {"temperature": sampling.temperature, "top_p": sampling.top_p}
    if dialect.has_seed:
        settings["seed"] = sampling.seed
    settings[dialect.max_tokens_field] = sampling.max_tokens
    if request.response_schema is not None:
        settings["response_format"] = _response_format(request.response_schema, dialect)
    return {key: value for key, value in settings.items() if value is not None}


def _response_format(schema: dict[str, Any], dialect: ChatDialect) -> dict[str, Any] | None:
    match dialect.json_mode:
        case "json_schema":
            shape = {"name": "answer", "schema": schema, "strict": is_strict(schema)}
            return {"type": "json_schema", "json_schema": shape}
        case "json_object":
            return {"type": "json_object"}
        case _:
            return None


def is_strict(schema: Any) -> bool:
    """Whether OpenAI's strict mode takes the schema: every object closed, every property required."""
    if isinstance(schema, list):
        return all(is_strict(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        names = set(schema.get("properties") or {})
        if schema.get("additionalProperties") is not False or set(schema.get("required") or ()) != names:
            return False
    return all(is_strict(value) for key, value in schema.items() if key not in ("enum", "const", "default", "examples"))


def said_texts(message: AssistantMessage) -> list[str]:
    """The texts of a reply that are sent again; one that is nothing but pictures says that it was one."""
    if is_picture(message):
        return [SAID_IMAGE]
    return [block.text for block in message.content if isinstance(block, TextContent) and block.text]


def is_picture(message: AssistantMessage) -> bool:
    """Whether a reply holds a picture and neither words nor calls: no API takes pictures of an assistant back."""
    has_picture = False
    for block in message.content:
        if isinstance(block, ToolCall) or (isinstance(block, TextContent) and block.text.strip()):
            return False
        has_picture = has_picture or isinstance(block, ImageContent)
    return has_picture


def without_empty_text(blocks: Sequence[msgspec.Struct]) -> list[msgspec.Struct]:
    """The blocks that hold something: no API takes an empty text."""
    return [block for block in blocks if not isinstance(block, TextContent) or block.text]


def _assistant(message: AssistantMessage, dialect: ChatDialect, reader: str) -> dict[str, Any] | None:
    texts = said_texts(message)
    calls = message.tool_calls
    if not texts and not calls:
        return None
    content: Any = None
    if texts:
        content = [_text_block(text) for text in texts] if dialect.blocks == "all" else "".join(texts)
    wire: dict[str, Any] = {"role": "assistant", "content": content}
    if calls:
        wire["tool_calls"] = [_call(call) for call in calls]
        if dialect.returns_reasoning and is_of_same_model(message, reader):
            _return_reasoning(message, wire)
    return wire


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call_arguments(call)}}


def _return_reasoning(message: AssistantMessage, wire: dict[str, Any]) -> None:
    """Puts reasoning back under the names that it came under."""
    position = 0
    for block in message.content:
        match block:
            case ToolCall():
                position += 1
            case ReasoningContent(wire_field="reasoning_details", signature=str(details)):
                _put_back(wire, "reasoning_details", kept_json(details, list))
            case ReasoningContent(wire_field="extra_content", signature=str(extra)):
                if position < len(wire["tool_calls"]):
                    _put_back(wire["tool_calls"][position], "extra_content", kept_json(extra, dict))
            case ReasoningContent(wire_field=str(field)) if field in REASONING_FIELDS:
                wire[field] = wire.get(field, "") + block.text
            case _:
                pass


def _put_back(wire: dict[str, Any], field: str, value: msgspec.Raw | None) -> None:
    if value is not None:
        wire[field] = value


def _input_content(blocks: Sequence[msgspec.Struct], dialect: ChatDialect) -> Any:
    if len(blocks) == 1 and isinstance(blocks[0], TextContent):
        return blocks[0].text if dialect.blocks == "none" else [_text_block(blocks[0].text)]
    wire: list[dict[str, Any]] = []
    for block in without_empty_text(blocks) or blocks:
        shown = _shown_block(block, dialect)
        if not (wire and shown == wire[-1] and shown.get("text") == NO_IMAGES):
            wire.append(shown)
    if dialect.blocks == "none" and all(part["type"] == "text" for part in wire):
        return "".join(part["text"] for part in wire)
    return wire


def _result_content(message: ToolResultMessage, dialect: ChatDialect) -> Any:
    blocks: Sequence[msgspec.Struct] = message.content
    if not dialect.has_result_images and (dialect.has_images or dialect.has_files):
        blocks = [block for block in message.content if isinstance(block, TextContent)]
    said = without_empty_text(blocks)
    if not said:
        carried = [_named(block) for block in message.content if not isinstance(block, TextContent)]
        said = [TextContent("\n".join(carried) or EMPTY_RESULT)]
    return _input_content(said, dialect)


def _named(block: msgspec.Struct) -> str:
    """What stands in a result in the place of what the next message shows."""
    kind = "image" if isinstance(block, ImageContent) else "file"
    mime_type, data = getattr(block, "mime_type", ""), getattr(block, "data", "")
    return f"[{kind} {mime_type}, {len(data) * 3 // 4:,} bytes: shown in the next message]"


def _shown_block(block: msgspec.Struct, dialect: ChatDialect) -> dict[str, Any]:
    match block:
        case TextContent():
            return _text_block(block.text)
        case ImageContent():
            if not dialect.has_images:
                return _text_block(NO_IMAGES)
            return {"type": "image_url", "image_url": {"url": f"data:{block.mime_type};base64,{block.data}"}}
        case FileContent():
            if not dialect.has_files:
                return _text_block(f"(the file {block.name or 'attached'} was left out: this endpoint takes no files)")
            data = f"data:{block.mime_type};base64,{block.data}"
            return {"type": "file", "file": {"filename": block.name or "file", "file_data": data}}
        case _:
            raise TypeError(f"{type(block).__name__} cannot stand in a user message or a tool result")


def _text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
