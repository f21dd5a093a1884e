"""What is asked of models, tools and embedders, without anything that differs from run to run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

import msgspec

from seatrial.core.content import (
    AssistantBlock,
    FileContent,
    ImageContent,
    ResultBlock,
    TextContent,
    UserBlock,
)
from seatrial.core.messages import AssistantMessage, Message, UserMessage
from seatrial.core.model import ModelRequest, Sampling, ToolSpec
from seatrial.core.values import plain
from seatrial.recording.blobs import Blobs


class UserSaid(msgspec.Struct, frozen=True, tag_field="role", tag="user"):
    """A user's message; a single text stands as a plain string."""

    content: str | tuple[UserBlock, ...]


class AssistantSaid(msgspec.Struct, frozen=True, tag_field="role", tag="assistant"):
    """A reply, as a later request carries it."""

    content: tuple[AssistantBlock, ...]


class ToolSaid(msgspec.Struct, frozen=True, tag_field="role", tag="tool", omit_defaults=True):
    """A tool's result, as a later request carries it."""

    tool_call_id: str
    tool_name: str
    content: str | tuple[ResultBlock, ...] = ()
    is_error: bool = False


Said = UserSaid | AssistantSaid | ToolSaid


class ModelAsked(msgspec.Struct, frozen=True):
    """A model request. ``model`` is ``provider:name``."""

    model: str
    instructions: str
    messages: tuple[Said, ...]
    tools: tuple[ToolSpec, ...] = ()
    sampling: Sampling = Sampling()
    response_schema: dict[str, Any] | None = None


class ToolAsked(msgspec.Struct, frozen=True):
    """A tool call."""

    tool: str
    arguments: dict[str, Any]


class VectorsAsked(msgspec.Struct, frozen=True):
    """Texts to embed."""

    embedder: str
    texts: tuple[str, ...]


Asked = ModelAsked | ToolAsked | VectorsAsked


def model_asked(model: str, request: ModelRequest, blobs: Blobs) -> ModelAsked:
    """The request without times, usage and the like; pictures and files stand under their hashes."""
    return ModelAsked(
        model=model,
        instructions=request.system_prompt,
        messages=tuple([_said(message, blobs) for message in request.messages]),
        tools=request.tools,
        sampling=request.sampling,
        response_schema=request.response_schema,
    )


def tool_asked(name: str, arguments: Mapping[str, Any]) -> ToolAsked:
    """The call with its arguments in JSON's terms."""
    return ToolAsked(name, plain(arguments))


def key_of(asked: Asked) -> str:
    """The same text for whatever is the same as JSON, whichever order its keys have; another text for all else."""
    return f"{type(asked).__name__} {msgspec.json.encode(asked, order='deterministic').decode()}"


def _said(message: Message, blobs: Blobs) -> Said:
    if isinstance(message, UserMessage):
        content = message.content
        return UserSaid(content if isinstance(content, str) else _shortest(blobs.named(content)))
    if isinstance(message, AssistantMessage):
        return AssistantSaid(blobs.named(message.content))
    return ToolSaid(
        message.tool_call_id, message.tool_name, _shortest(blobs.named(message.content)), is_error=message.is_error
    )


def _shortest(content: tuple[TextContent | ImageContent | FileContent, ...]) -> Any:
    return content[0].text if len(content) == 1 and isinstance(content[0], TextContent) else content


def in_words(asked: Asked) -> str:
    """What was asked, in a few words for people."""
    match asked:
        case ModelAsked():
            return f"a request to {asked.model}" if asked.model else "a request"
        case ToolAsked():
            return f"a call of the tool {asked.tool}"
        case VectorsAsked():
            return f"vectors of {asked.embedder}"
        case _:
            assert_never(asked)
