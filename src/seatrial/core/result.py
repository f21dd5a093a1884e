"""What a run gives back: plain data with a JSON form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from seatrial.core.content import ToolCall
from seatrial.core.json_form import read_messages
from seatrial.core.messages import AssistantMessage, Message, StopReason, ToolResultMessage, UserMessage
from seatrial.core.model import ToolSpec
from seatrial.core.usage import UNKNOWN_USAGE, Usage, UsageTotal
from seatrial.errors import RunError, SeatrialError


class Transcript(msgspec.Struct, frozen=True):
    """All messages of a conversation, in order."""

    messages: tuple[Message, ...] = ()

    @property
    def tool_calls(self) -> list[ToolCall]:
        """Every tool call, in the order of asking."""
        return [
            call for message in self.messages if isinstance(message, AssistantMessage) for call in message.tool_calls
        ]

    @property
    def tool_results(self) -> list[ToolResultMessage]:
        """Every tool result, in the order of the calls."""
        return [message for message in self.messages if isinstance(message, ToolResultMessage)]

    @property
    def text(self) -> str:
        """The text of the last reply."""
        return _last_text(self.messages, 0)


class RequestRecord(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One try of one request. ``purpose`` is ``turn`` or ``summary``; ``duration_s`` is unknown for failed tries."""

    turn: int
    provider: str
    model: str
    stop_reason: StopReason
    usage: Usage = UNKNOWN_USAGE
    cost_usd: float | None = None
    duration_s: float | None = None
    error_message: str | None = None
    purpose: str = "turn"


class PendingApproval(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call that waits for a person: what the model asked for and the reason of the hook that stopped it."""

    call: ToolCall
    reason: str = ""


class RunResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a run ended and everything that happened in it.

    ``limit`` names the key of ``limits`` that was hit. ``transcript`` is the whole conversation, of which the first
    ``history_length`` messages were given. ``usage`` and ``cost_usd`` sum up all requests and what tools spent; a cost
    that is unknown in one part is None. ``output`` is the value of a structured answer. ``undelivered`` are steering
    and follow-up messages that no request carried. ``warnings`` are for people; those that say that a hook of a tool
    call failed are ``hook_errors``, too. ``tools`` were offered in the end, under their own names.
    """

    stop_reason: StopReason
    transcript: Transcript = Transcript()
    limit: str | None = None
    error_message: str | None = None
    error_code: str | None = None
    usage: UsageTotal = UsageTotal()
    cost_usd: float | None = None
    requests: tuple[RequestRecord, ...] = ()
    turns: int = 0
    tool_call_count: int = 0
    duration_s: float = 0.0
    history_length: int = 0
    output: Any = None
    pending_approvals: tuple[PendingApproval, ...] = ()
    undelivered: tuple[UserMessage, ...] = ()
    warnings: tuple[str, ...] = ()
    hook_errors: tuple[str, ...] = ()
    tools: tuple[ToolSpec, ...] = ()

    @property
    def text(self) -> str:
        """The text of the last reply of this run."""
        return _last_text(self.transcript.messages, self.history_length)

    @property
    def added(self) -> Transcript:
        """What this run added to the conversation."""
        return Transcript(self.transcript.messages[self.history_length :]) if self.history_length else self.transcript

    def raise_for_status(self) -> RunResult:
        """The result itself after an ordinary end (``stop`` or ``terminated``), else raises `SeatrialError`."""
        if self.stop_reason in ("stop", "terminated"):
            return self
        why = self.error_message or self.limit
        raise SeatrialError(f"the run ended with {self.stop_reason}" + (f": {why}" if why else ""))

    def to_json(self) -> bytes:
        """The result as JSON, everything included."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, data: bytes | str) -> RunResult:
        """The result that `to_json` wrote; raises `RunError` when it is none."""
        try:
            raw = msgspec.json.decode(data)
            transcript = raw.get("transcript") or {}
            raw["transcript"] = Transcript(read_messages(transcript.get("messages", ())))
            return msgspec.convert(raw, cls)
        except (msgspec.DecodeError, msgspec.ValidationError, AttributeError) as error:
            raise RunError(f"this is not a run's result: {error}") from error


def _last_text(messages: tuple[Message, ...], first: int) -> str:
    """The text of the last reply among the messages from place ``first`` on."""
    for place in range(len(messages) - 1, first - 1, -1):
        message = messages[place]
        if isinstance(message, AssistantMessage):
            return message.text
    return ""


def check_decisions(result: RunResult | None, decisions: Iterable[str]) -> None:
    """Raises ValueError when no call of the result waits for a decision, or one of the decisions is for none."""
    waiting = [] if result is None else [pending.call.id for pending in result.pending_approvals]
    if not waiting:
        raise ValueError("no tool call waits for an approval")
    strange = [call_id for call_id in decisions if call_id not in waiting]
    if strange:
        raise ValueError(f"no call {strange[0]!r} waits for an approval; those that wait are: {', '.join(waiting)}")
