"""What happens in a run, told as it happens. One stream of these serves terminal, server, store and tests."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from seatrial.core.content import ToolCall
from seatrial.core.messages import AssistantMessage, StopReason, ToolResultMessage, UserMessage
from seatrial.core.usage import Usage


class RunStarted(msgspec.Struct, frozen=True, tag=True):
    """A run begins."""


class TurnStarted(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A turn begins; ``turn`` counts from 1."""

    turn: int


class UserMessageAdded(msgspec.Struct, frozen=True, tag=True):
    """A user message went into the history: the prompt, a steering or follow-up message, a correction, a summary."""

    message: UserMessage


class MessageStarted(msgspec.Struct, frozen=True, gc=False, tag=True):
    """The model was asked."""

    turn: int


class MessageTextDelta(msgspec.Struct, frozen=True, gc=False, tag=True):
    """More of the answer's text."""

    text: str


class MessageTextWasReasoning(msgspec.Struct, frozen=True, gc=False, tag=True):
    """All text told so far of this message was reasoning; what follows is its text from the beginning.

    It comes where a model ends its thoughts with a closing tag that nothing had opened.
    """


class MessageReasoningDelta(msgspec.Struct, frozen=True, gc=False, tag=True):
    """More of the reasoning."""

    text: str


class MessageToolCallDelta(msgspec.Struct, frozen=True, gc=False, tag=True):
    """More of a call's arguments; ``position`` is the call's place among the calls of this reply, from 0."""

    position: int
    name: str
    arguments_text: str


class MessageEnded(msgspec.Struct, frozen=True, tag=True):
    """The reply is whole."""

    message: AssistantMessage


class ToolStarted(msgspec.Struct, frozen=True, tag=True):
    """A tool call is prepared and about to run."""

    call: ToolCall


class ToolUpdated(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A running tool says how far it is."""

    tool_call_id: str
    text: str


class ToolEnded(msgspec.Struct, frozen=True, tag=True):
    """A call has its result; these come in the order in which the calls finish."""

    result: ToolResultMessage


class RetryScheduled(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A request failed and will be sent again after ``delay_s`` seconds."""

    attempt: int
    delay_s: float
    reason: str


class UsageCounted(msgspec.Struct, frozen=True, gc=False, tag=True):
    """What one request (or a tool's own requests) used; ``cost_usd`` None is unknown."""

    usage: Usage
    cost_usd: float | None = None


class WarningRaised(msgspec.Struct, frozen=True, tag=True):
    """Something that a person should know and that does not stop the run."""

    text: str


class TurnEnded(msgspec.Struct, frozen=True, tag=True):
    """A turn is over: its reply and its tool results are in the history."""

    turn: int


class RunEnded(msgspec.Struct, frozen=True, tag=True):
    """Always the last event. ``limit`` names the key of ``limits:`` that was hit, when one was."""

    stop_reason: StopReason
    limit: str | None = None
    error_message: str | None = None


AgentEvent = (
    RunStarted
    | TurnStarted
    | UserMessageAdded
    | MessageStarted
    | MessageTextDelta
    | MessageTextWasReasoning
    | MessageReasoningDelta
    | MessageToolCallDelta
    | MessageEnded
    | ToolStarted
    | ToolUpdated
    | ToolEnded
    | RetryScheduled
    | UsageCounted
    | WarningRaised
    | TurnEnded
    | RunEnded
)
EventSink = Callable[[AgentEvent], None]
