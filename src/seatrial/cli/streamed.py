"""The answer on stdout while it comes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TextIO

from seatrial.cli import terminal
from seatrial.cli.veil import Veil
from seatrial.core.events import (
    AgentEvent,
    MessageEnded,
    MessageStarted,
    MessageTextDelta,
    MessageTextWasReasoning,
    RetryScheduled,
    UsageCounted,
    WarningRaised,
)
from seatrial.reporters.plain import visible

WAS_REASONING = "the text above was the model's reasoning; its answer follows"


class Streamed:
    """An event sink that writes each piece of text to ``out``, masked and made harmless.

    ``has_written`` says whether there was any. Every message ends with a line feed.
    """

    def __init__(self, out: TextIO, secrets: Iterable[str]) -> None:
        self.has_written = False
        self._out = out
        self._veil = Veil(secrets)
        self._held = ""
        self._has_come = False
        self._is_in_line = False

    def __call__(self, event: AgentEvent) -> None:
        """Shows what is text of the answer."""
        match event:
            case MessageStarted():
                self._has_come = False
            case UsageCounted() | RetryScheduled() | WarningRaised():
                self.end()  # a line on stderr may follow
            case MessageTextDelta(text):
                self._has_come = True
                self._write(self._veil.feed(text))
            case MessageTextWasReasoning():
                self.end()
                terminal.tell(WAS_REASONING)
                self._has_come = False
            case MessageEnded(message):
                if not self._has_come and message.text.strip():
                    self._write(self._veil.feed(message.text))
                self.end()
            case _:
                pass

    def end(self) -> None:
        """Writes what was held back, and ends the line."""
        self._write(self._veil.finish(), is_end=True)
        if self._is_in_line:
            self._write("\n")

    def _write(self, piece: str, *, is_end: bool = False) -> None:
        """A carriage return waits for the line feed that may follow it."""
        text = self._held + piece
        self._held = "\r" if text.endswith("\r") and not is_end else ""
        text = visible(text.removesuffix(self._held))
        if text:
            self.has_written = True
            self._is_in_line = not text.endswith("\n")
            self._out.write(text)
            self._out.flush()
