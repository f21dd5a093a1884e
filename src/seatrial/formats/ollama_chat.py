"""Ollama's own chat wire (docs.ollama.com/api/chat, 2026): messages out, replies in, streams as lines of JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial.core.content import FileContent, ImageContent, ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from seatrial.core.model import ModelRequest, NoticeSink
from seatrial.formats.encoded import EncodedMessages, is_of_same_model
from seatrial.formats.failures import error_inside, error_words
from seatrial.formats.openai_chat import EMPTY_RESULT, NO_IMAGES, said_texts, tool_to_openai
from seatrial.formats.reading import DEFAULT_READING, Reading
from seatrial.formats.reply import ReplyBuilder
from seatrial.formats.stream import ReplyStream
from seatrial.formats.tolerant import read_choice, read_labels
from seatrial.formats.wire_json import encode


def to_ollama(message: Message, reader: str = "", *, has_images: bool = True) -> dict[str, Any] | None:
    """A message as Ollama's dict; None for an assistant message that says nothing."""
    match message:
        case UserMessage():
            return {"role": "user", **_shown(message.blocks, has_images=has_images)}
        case AssistantMessage():
            return _said(message, reader)
        case ToolResultMessage():
            shown = _shown(message.content, has_images=has_images)
            content = shown["content"] or EMPTY_RESULT
            return {"role": "tool", **shown, "content": content, "tool_name": message.tool_name}


def encode_ollama_request(
    request: ModelRequest,
    *,
    model: str,
    encoded: EncodedMessages,
    stream: bool,
    has_sampling: bool = True,
    extra: Mapping[str, Any],
) -> bytes:
    """The body of a request; ``extra`` may hold ``options`` of its own."""
    messages: list[Any] = []
    if request.system_prompt:
        messages.append({"role": "system", "content": request.system_prompt})
    for parts, _ in encoded.messages(request.messages):
        messages.extend(parts)
    sampling = request.sampling
    options = {
        "temperature": sampling.temperature if has_sampling else None,
        "top_p": sampling.top_p if has_sampling else None,
        "num_predict": sampling.max_tokens,
        "seed": sampling.seed,
    }
    told = {key: value for key, value in options.items() if value is not None}
    own = extra.get("options")
    if isinstance(own, dict):
        told |= own
    body: dict[str, Any] = {"model": model, "messages": messages, "stream": stream}
    if request.tools:
        body["tools"] = encoded.tools(request.tools, tool_to_openai)
    if request.response_schema is not None:
        body["format"] = request.response_schema
    body |= extra
    if told:
        body["options"] = told
    return encode(body)


class LineReader:
    """Lines of JSON: bytes in any cut -> lines."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that ``chunk`` completes."""
        if b"\n" not in chunk:
            self._rest.append(chunk)
            return []
        lines = b"".join((*self._rest, chunk)).split(b"\n")
        self._rest = [lines.pop()]
        return [line for line in lines if line.strip()]

    def end(self) -> list[bytes]:
        """The last line, where its line end is missing."""
        rest, self._rest = b"".join(self._rest), []
        return [rest] if rest.strip() else []


class OllamaLines:
    """Reads one object per line; ``done`` is the end mark."""

    def __init__(self, builder: ReplyBuilder) -> None:
        self.builder = builder

    def read(self, event: Mapping[str, Any]) -> bool:
        """Takes a line."""
        if event.get("error"):
            words = error_words(event)
            if words is not None:
                self.builder.fail("error", error_inside(words))
        read_labels(self.builder, event)
        read_choice(self.builder, event)
        if event.get("done") is True:
            self.builder.is_ended = True
            return True
        return False


def ollama_stream(reading: Reading = DEFAULT_READING, on_notice: NoticeSink | None = None) -> ReplyStream:
    """A stream of lines."""
    return ReplyStream(OllamaLines(ReplyBuilder(reading, on_notice)), LineReader())


def _said(message: AssistantMessage, reader: str) -> dict[str, Any] | None:
    calls = message.tool_calls
    text = "".join(said_texts(message))
    if not text and not calls:
        return None
    wire: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        wire["tool_calls"] = [_call(call) for call in calls]
        thoughts = "".join(block.text for block in message.content if isinstance(block, ReasoningContent))
        if thoughts and is_of_same_model(message, reader):
            wire["thinking"] = thoughts
    return wire


def _call(call: ToolCall) -> dict[str, Any]:
    return {"function": {"name": call.name, "arguments": call.arguments}}


def _shown(blocks: tuple[Any, ...], *, has_images: bool) -> dict[str, Any]:
    texts: list[str] = []
    images: list[str] = []
    for block in blocks:
        match block:
            case TextContent():
                texts.append(block.text)
            case ImageContent() if has_images:
                images.append(block.data)
            case ImageContent() if texts[-1:] != [NO_IMAGES]:
                texts.append(NO_IMAGES)
            case FileContent():
                texts.append(f"(the file {block.name or 'attached'} was left out: Ollama takes no files)")
            case _:
                pass
    shown: dict[str, Any] = {"content": "\n".join(text for text in texts if text)}
    if images:
        shown["images"] = images
    return shown
