"""The three kinds of message. The system prompt is not a message; it belongs to the context."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from seatrial.core.content import (
    AssistantBlock,
    ReasoningContent,
    ResultBlock,
    TextContent,
    ToolCall,
    UserBlock,
    is_blank,
    text_of,
)
from seatrial.core.usage import UNKNOWN_USAGE, Usage

StopReason = Literal[
    "stop",
    "tool_calls",
    "length",
    "refusal",
    "content_filter",
    "incomplete",
    "error",
    "aborted",
    "limit",
    "terminated",
    "awaiting_approval",
]


def utc_now() -> datetime:
    """The present moment, timezone-aware."""
    return datetime.now(UTC)


class UserMessage(msgspec.Struct, frozen=True, tag_field="role", tag="user", omit_defaults=True, weakref=True):
    """What a person (or the program in their place) says: blocks, or a plain string as shorthand.

    ``summary_keeps`` is set on a message that sums up the conversation before it: when the history is sent, it stands
    in for everything before it but the last ``summary_keeps`` messages.
    """

    content: str | tuple[UserBlock, ...]
    timestamp: datetime = msgspec.field(default_factory=utc_now)
    summary_keeps: int | None = None

    @property
    def role(self) -> Literal["user"]:
        """The sender."""
        return "user"

    @property
    def blocks(self) -> tuple[UserBlock, ...]:
        """The content as blocks, also where it was given as a string."""
        return (TextContent(self.content),) if isinstance(self.content, str) else self.content

    @property
    def text(self) -> str:
        """The text, without pictures and files."""
        return text_of(self.content)


class FailedTry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A try of a request that failed and was sent again; ``usage`` is what the provider counted for it, if it did."""

    reason: str
    delay_s: float = 0.0
    usage: Usage = UNKNOWN_USAGE


class AssistantMessage(
    msgspec.Struct, frozen=True, tag_field="role", tag="assistant", omit_defaults=True, weakref=True
):
    """One reply of a model: text, reasoning and tool calls in the order in which they came.

    ``provider``, ``api``, ``model`` and ``response_id`` tell where it came from: reasoning is only ever sent back to
    the model that wrote it. ``raw_stop_reason`` is the provider's own word. ``error_message`` is None unless
    generation failed; ``error_code`` is its machine-readable kind where it matters to the loop: ``context_overflow``
    (the input is too long for the model), ``empty_response``. ``failed_tries`` are the tries before this reply.
    ``cost_usd`` is None when it is unknown. ``waited_s`` are the seconds in which the request waited for its turn: at a
    model on this machine, or at a host that had asked for a pause. ``warnings`` are for people.
    """

    content: tuple[AssistantBlock, ...] = ()
    api: str = ""
    provider: str = ""
    model: str = ""
    response_id: str = ""
    usage: Usage = UNKNOWN_USAGE
    cost_usd: float | None = None
    stop_reason: StopReason = "stop"
    raw_stop_reason: str | None = None
    error_message: str | None = None
    error_code: str | None = None
    can_retry: bool | None = None
    failed_tries: tuple[FailedTry, ...] = ()
    warnings: tuple[str, ...] = ()
    waited_s: float = 0.0
    timestamp: datetime = msgspec.field(default_factory=utc_now)

    @property
    def role(self) -> Literal["assistant"]:
        """The sender."""
        return "assistant"

    @property
    def tool_calls(self) -> list[ToolCall]:
        """The calls, in order; empty when there are none."""
        return [block for block in self.content if isinstance(block, ToolCall)]

    @property
    def text(self) -> str:
        """The answer's text."""
        return text_of(self.content)

    @property
    def reasoning(self) -> list[ReasoningContent]:
        """The reasoning blocks, in order."""
        return [block for block in self.content if isinstance(block, ReasoningContent)]


class ToolResultMessage(msgspec.Struct, frozen=True, tag_field="role", tag="tool", omit_defaults=True, weakref=True):
    """What one tool call gave.

    ``content`` goes to the model. ``details`` is any JSON value for people and graders and is never sent.
    ``added_tool_names`` are tools that are offered from the next request on. ``was_executed`` is False for answers
    that did not come from the tool itself (unknown tool, bad arguments, denied, answered by a hook).
    ``arguments`` are those it ran with, where they differ from the call's. ``duration_s`` is wall-clock time inside the
    tool, None when it did not run. ``usage`` and ``cost_usd`` are what the tool itself spent on models.
    ``left_out_chars`` are characters of a long text that the model was not shown; the details then hold the whole.
    """

    tool_call_id: str
    tool_name: str
    content: tuple[ResultBlock, ...] = ()
    details: Any = None
    usage: Usage | None = None
    cost_usd: float | None = None
    added_tool_names: tuple[str, ...] | None = None
    is_error: bool = False
    arguments: dict[str, Any] | None = None
    was_executed: bool = True
    duration_s: float | None = None
    left_out_chars: int = 0
    timestamp: datetime = msgspec.field(default_factory=utc_now)

    @property
    def role(self) -> Literal["tool"]:
        """The sender."""
        return "tool"

    @property
    def text(self) -> str:
        """The result's text."""
        return text_of(self.content)


Message = UserMessage | AssistantMessage | ToolResultMessage


def as_user_message(prompt: str | UserMessage) -> UserMessage:
    """The prompt as a message. Raises ValueError when it says nothing at all."""
    message = UserMessage(prompt) if isinstance(prompt, str) else prompt
    if is_blank(message.content):
        raise ValueError("the prompt is empty")
    return message
