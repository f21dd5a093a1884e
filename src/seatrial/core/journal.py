"""Tool calls written down as they start and end, so that after a crash none is run twice."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import msgspec

from seatrial.core.content import ToolCall
from seatrial.core.messages import ToolResultMessage
from seatrial.errors import RunError


class Journal(Protocol):
    """The calls of one conversation. A method may block for a moment (a write to disk), and is never called twice at
    once.
    """

    def call_started(self, call: ToolCall) -> None:
        """The call is about to run."""

    def call_finished(self, result: ToolResultMessage) -> None:
        """The call has its result."""

    def was_started(self, call_id: str) -> bool:
        """Whether the call was ever started."""

    def result_of(self, call_id: str) -> ToolResultMessage | None:
        """The result of a call that finished, or None."""


class _Started(msgspec.Struct, frozen=True, tag="call_started"):
    call: ToolCall


class _Finished(msgspec.Struct, frozen=True, tag="call_finished"):
    result: ToolResultMessage


class JsonLinesJournal:
    """A journal in a file, one JSON object a line. A last line that was cut off is passed over.

    Raises `RunError` when the file holds something else.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._started: set[str] = set()
        self._results: dict[str, ToolResultMessage] = {}
        self._read()

    def call_started(self, call: ToolCall) -> None:
        """Appends the start."""
        self._started.add(call.id)
        self._append(_Started(call))

    def call_finished(self, result: ToolResultMessage) -> None:
        """Appends the result."""
        self._results[result.tool_call_id] = result
        self._append(_Finished(result))

    def was_started(self, call_id: str) -> bool:
        """Whether the call was ever started."""
        return call_id in self._started

    def result_of(self, call_id: str) -> ToolResultMessage | None:
        """The result of a call that finished, or None."""
        return self._results.get(call_id)

    def _append(self, entry: _Started | _Finished) -> None:
        with self._path.open("ab") as file:
            file.write(msgspec.json.encode(entry) + b"\n")

    def _read(self) -> None:
        if not self._path.exists():
            return
        content = self._path.read_bytes()
        whole, _newline, cut_off = content.rpartition(b"\n")
        if cut_off:
            self._path.write_bytes(whole + b"\n" if whole else b"")
        for number, line in enumerate(whole.splitlines(), start=1):
            try:
                entry = msgspec.json.decode(line, type=_Started | _Finished)
            except msgspec.DecodeError as error:
                raise RunError(f"line {number} of the journal {self._path} cannot be read: {error}") from error
            if isinstance(entry, _Started):
                self._started.add(entry.call.id)
            else:
                self._results[entry.result.tool_call_id] = entry.result
