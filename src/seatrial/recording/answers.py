"""From what was recorded of a call back to what it gave."""

from __future__ import annotations

import re

import msgspec

from seatrial.core.content import ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage
from seatrial.core.model import ModelNotice, NoticeSink, ReasoningDelta, TextDelta, ToolCallDelta
from seatrial.core.tool import ToolOutput
from seatrial.errors import ProviderError, RetrievalError, SeatrialError, ToolError
from seatrial.recording.blobs import Blobs
from seatrial.recording.cassette import ModelCall, Output, Raised, Reply, ToolCallMade

_WORD = re.compile(r"\s*\S+\s*")


def tell_pieces(call: ModelCall, on_notice: NoticeSink | None) -> None:
    """Tells a reply piece by piece, as it was told; what came whole is told word by word."""
    if on_notice is not None:
        for piece in call.stream or _pieces_of(call.reply):
            on_notice(TextDelta(piece) if isinstance(piece, str) else piece)


def reply_of(call: ModelCall, blobs: Blobs) -> AssistantMessage:
    """The reply; raises what the model raised."""
    reply = call.reply
    if reply is None:
        raise exception_of(call.raised, RetrievalError)
    fields = {name: getattr(reply, name) for name in Reply.__struct_fields__}
    return AssistantMessage(**(fields | {"content": blobs.restored(reply.content)}))


def output_of_call(call: ToolCallMade, blobs: Blobs) -> ToolOutput:
    """The tool's output; raises what the tool raised."""
    if call.output is None:
        raise exception_of(call.raised, ToolError)
    fields = {name: getattr(call.output, name) for name in Output.__struct_fields__}
    return ToolOutput(**(fields | {"content": blobs.restored(call.output.content)}))


def exception_of(raised: Raised | None, kind: type[SeatrialError]) -> SeatrialError:
    """The exception that says what the recorded one said."""
    if raised is None:
        return kind("its recording holds neither an answer nor an error")
    if raised.is_provider:
        return ProviderError(raised.message, code=raised.code, can_retry=raised.can_retry)
    if kind is ToolError:
        return ToolError(raised.message, details=raised.details)
    return kind(raised.message)


def _pieces_of(reply: Reply | None) -> list[str | ModelNotice]:
    """What a stream would have told of a reply that came whole."""
    pieces: list[str | ModelNotice] = []
    position = 0
    for block in () if reply is None else reply.content:
        if isinstance(block, TextContent):
            pieces += _WORD.findall(block.text) or [block.text]
        elif isinstance(block, ReasoningContent) and block.text:
            pieces.append(ReasoningDelta(block.text))
        elif isinstance(block, ToolCall):
            text = block.arguments_text or msgspec.json.encode(block.arguments).decode()
            pieces.append(ToolCallDelta(position, block.name, text))
            position += 1
    return pieces
