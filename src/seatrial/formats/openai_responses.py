"""OpenAI's responses wire (platform.openai.com/docs/api-reference/responses, 2026): messages out, replies in.

Nothing is stored at the provider: the whole conversation is sent, with encrypted reasoning where there is some.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from seatrial.core.content import FileContent, ImageContent, ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.model import ModelRequest, ToolSpec
from seatrial.formats.blocks import REASONING_ITEM
from seatrial.formats.encoded import EncodedMessages, call_arguments, is_of_same_model, kept_json
from seatrial.formats.openai_chat import EMPTY_RESULT, NO_IMAGES, SAID_IMAGE, is_picture, is_strict, without_empty_text
from seatrial.formats.tool_schemas import offered_parameters
from seatrial.formats.wire_json import encode

Item = dict[str, Any] | msgspec.Raw


def to_responses(message: Message, reader: str = "", *, has_images: bool = True) -> list[Item]:
    """A message as input items. Reasoning goes back to ``reader`` (``provider/model``) alone if it wrote it."""
    match message:
        case UserMessage():
            return [{"type": "message", "role": "user", "content": _shown(message.blocks, has_images=has_images)}]
        case AssistantMessage():
            return list(_said(message, reader))
        case ToolResultMessage():
            output = _output(message, has_images=has_images)
            return [{"type": "function_call_output", "call_id": message.tool_call_id, "output": output}]


def tool_to_responses(tool: ToolSpec) -> dict[str, Any]:
    """A tool as an offered function."""
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": offered_parameters(tool.parameters),
        "strict": False,
    }


def encode_responses_request(
    request: ModelRequest,
    *,
    model: str,
    encoded: EncodedMessages,
    stream: bool,
    has_sampling: bool,
    extra: Mapping[str, Any],
) -> bytes:
    """The body of a request."""
    sampling = request.sampling
    body: dict[str, Any] = {"model": model, "store": False, "include": ["reasoning.encrypted_content"]}
    if request.system_prompt:
        body["instructions"] = request.system_prompt
    body["input"] = [item for own, _ in encoded.messages(request.messages) for item in own]
    if request.tools:
        body["tools"] = encoded.tools(request.tools, tool_to_responses)
    settings: dict[str, Any] = {"max_output_tokens": sampling.max_tokens}
    if has_sampling:
        settings |= {"temperature": sampling.temperature, "top_p": sampling.top_p}
    body |= {key: value for key, value in settings.items() if value is not None}
    if request.response_schema is not None:
        strict = is_strict(request.response_schema)
        shape = {"type": "json_schema", "name": "answer", "schema": request.response_schema, "strict": strict}
        body["text"] = {"format": shape}
    if stream:
        body["stream"] = True
    body.update(extra)
    return encode(body)


def _said(message: AssistantMessage, reader: str) -> Iterable[Item]:
    is_own = is_of_same_model(message, reader)
    if is_picture(message):
        yield {"type": "message", "role": "assistant", "content": SAID_IMAGE}
        return
    if not any(
        isinstance(block, ToolCall) or (isinstance(block, TextContent) and block.text) for block in message.content
    ):
        return
    for block in message.content:
        match block:
            case TextContent() if block.text:
                yield {"type": "message", "role": "assistant", "content": block.text}
            case ToolCall():
                yield {
                    "type": "function_call",
                    "call_id": block.id,
                    "name": block.name,
                    "arguments": call_arguments(block),
                }
            case ReasoningContent(wire_field=field, signature=str(item)) if is_own and field == REASONING_ITEM:
                sealed = kept_json(item, dict)
                if sealed is not None:
                    yield sealed
            case _:
                pass


def _output(message: ToolResultMessage, *, has_images: bool) -> Any:
    blocks = without_empty_text(message.content)
    if all(isinstance(block, TextContent) for block in blocks):
        return message.text or EMPTY_RESULT
    return _shown(blocks, has_images=has_images)


def _shown(blocks: Sequence[msgspec.Struct], *, has_images: bool) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = []
    for block in without_empty_text(blocks) or blocks:
        part = _part(block, has_images=has_images)
        if not (shown and part == shown[-1] and part.get("text") == NO_IMAGES):
            shown.append(part)
    return shown


def _part(block: msgspec.Struct, *, has_images: bool) -> dict[str, Any]:
    match block:
        case TextContent():
            return {"type": "input_text", "text": block.text}
        case ImageContent():
            if not has_images:
                return {"type": "input_text", "text": NO_IMAGES}
            url = f"data:{block.mime_type};base64,{block.data}"
            return {"type": "input_image", "image_url": url, "detail": "auto"}
        case FileContent():
            data = f"data:{block.mime_type};base64,{block.data}"
            return {"type": "input_file", "filename": block.name or "file", "file_data": data}
        case _:
            raise TypeError(f"{type(block).__name__} cannot stand in a user message or a tool result")
