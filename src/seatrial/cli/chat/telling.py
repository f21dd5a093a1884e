"""The events of a turn, told on the page as they come."""

from __future__ import annotations

from collections.abc import Iterable

from seatrial.cli.chat.face import Page
from seatrial.cli.streamed import WAS_REASONING
from seatrial.cli.veil import Veil
from seatrial.core.content import ToolCall
from seatrial.core.events import (
    AgentEvent,
    MessageEnded,
    MessageReasoningDelta,
    MessageStarted,
    MessageTextDelta,
    MessageTextWasReasoning,
    MessageToolCallDelta,
    RetryScheduled,
    ToolEnded,
    ToolStarted,
    ToolUpdated,
    WarningRaised,
)
from seatrial.core.messages import AssistantMessage, ToolResultMessage
from seatrial.reporters.plain import one_line
from seatrial.reporters.words import seconds
from seatrial.runs.encoding import to_json
from seatrial.runs.masking import Masker

_STOP = "Ctrl-C stops"
_LEAST_WIDTH = 40


class Telling:
    """An event sink. ``is_full``: reasoning, arguments and results are shown whole."""

    def __init__(self, page: Page, secrets: Iterable[str], *, is_full: bool = False, width: int = 80) -> None:
        self._page = page
        self._masker = Masker(secrets)
        self._veil = Veil(secrets)
        self._is_full = is_full
        self._width = None if is_full else max(width - len("  gave    "), _LEAST_WIDTH)
        self._has_come = False
        self._is_reasoning = False

    def __call__(self, event: AgentEvent) -> None:
        """Shows what people want to see of it."""
        match event:
            case MessageStarted():
                self._has_come = False
                self._page.status(f"waiting for the model - {_STOP}")
            case MessageTextDelta(text):
                self._said(text)
            case MessageTextWasReasoning():
                self._was_thought()
            case MessageReasoningDelta(text):
                self._thought(text)
            case MessageToolCallDelta(_, name):
                self._page.status(f"writes a call of {name} - {_STOP}")
            case MessageEnded(message):
                self._ended(message)
            case ToolStarted(call):
                self._page.line(f"  calls   {self._call(call)}", "tool")
                self._page.status(f"{call.name} runs - {_STOP}")
            case ToolUpdated(_, text):
                self._page.status(f"{self._masker.text(text)} - {_STOP}")
                if self._is_full:
                    self._page.line(f"          {self._short(text)}")
            case ToolEnded(result):
                self._result(result)
            case RetryScheduled(attempt, delay_s, reason):
                told = f"  retry   {attempt} in {seconds(delay_s)}: {self._short(reason)}"
                self._page.line(told, "warning")
            case WarningRaised(text):
                self._page.line(f"  warning {self._short(text)}", "warning")
            case _:
                pass

    def _said(self, text: str) -> None:
        if self._is_reasoning:
            self._flush()
        if not self._has_come:
            self._page.status(f"answers - {_STOP}")
        self._has_come = True
        self._page.text(self._veil.feed(text))

    def _thought(self, text: str) -> None:
        self._page.status(f"thinks - {_STOP}")
        if self._is_full:
            self._is_reasoning = True
            self._page.thought(self._veil.feed(text))

    def _was_thought(self) -> None:
        held = self._veil.finish()
        if held:
            self._page.text(held)
        if not self._page.was_thought(is_wanted=self._is_full):
            self._page.line(WAS_REASONING, "warning")
        self._has_come = False

    def _ended(self, message: AssistantMessage) -> None:
        self._flush()
        if not self._has_come and message.text.strip():
            self._page.text(self._masker.text(message.text))
        self._page.end()

    def _flush(self) -> None:
        held = self._veil.finish()
        if held:
            (self._page.thought if self._is_reasoning else self._page.text)(held)
        self._is_reasoning = False

    def _result(self, result: ToolResultMessage) -> None:
        word = "failed" if result.is_error else "gave"
        took = "" if result.duration_s is None else f"  ({seconds(result.duration_s)})"
        told = self._short(f"{result.tool_name}: {result.text}" if not self._is_full else result.text)
        self._page.line(f"  {word:<8}{told}{took}", "error" if result.is_error else "tool")

    def _call(self, call: ToolCall) -> str:
        return self._short(f"{call.name}({arguments_in_words(call)})")

    def _short(self, text: str) -> str:
        masked = self._masker.text(text)
        return masked.rstrip("\n") if self._is_full else one_line(masked, self._width)


def arguments_in_words(call: ToolCall) -> str:
    """``order_id: "A-1"``; what could not be read stands there as it came."""
    if call.arguments_error is not None:
        return call.arguments_text or ""
    return ", ".join(f"{name}: {to_json(value).decode()}" for name, value in call.arguments.items())
