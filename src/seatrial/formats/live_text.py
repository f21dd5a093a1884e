"""Text told as it arrives: never a half surrogate pair, never markup that turns out to be a call."""

from __future__ import annotations

import re
from collections.abc import Iterable

from seatrial.core.content import AssistantBlock, TextContent
from seatrial.core.model import NoticeSink, TextDelta, TextWasReasoning
from seatrial.formats.call_dialects import MARKER, MARKERS
from seatrial.formats.reading import Reading
from seatrial.formats.text_calls import is_bare_call_begun, may_begin_bare_call
from seatrial.formats.wire_json import whole_text

MARKER_START = re.compile(f"[{re.escape(''.join({marker[0] for marker in MARKERS}))}]")
LONGEST_MARKER = max(len(marker) for marker in MARKERS)
BLANKS = re.compile(r"\s+")


class LiveText:
    """Passes text on. From the first marker of a call on, text waits for the end, when it is known what it was.

    What is told, put together, is the beginning of the message's text and in the end all of it. The one thing that can
    come in between is `TextWasReasoning`, after which it starts again from nothing.
    """

    def __init__(self, on_notice: NoticeSink, reading: Reading) -> None:
        self._on_notice = on_notice
        self._watches = reading.has_text_calls and bool(reading.tool_names)
        self._told = 0
        self._held = ""
        self._waits = False
        self._is_at_start = True
        self._head: list[str] = []
        self._outline = ""

    def add(self, text: str) -> None:
        """More text."""
        if self._waits:
            return
        if self._watches and self._is_at_start:
            self._add_at_start(text)
        else:
            self._add(text)

    def end_block(self) -> None:
        """What follows belongs to another block: half a character does not go on there."""
        self._held = whole_text(self._held)

    def reclaim(self) -> None:
        """All text so far was reasoning."""
        if self._told:
            self._on_notice(TextWasReasoning())
        self._told = 0
        self._held = ""
        self._waits = False
        self._is_at_start = True
        self._head.clear()
        self._outline = ""

    def end(self, blocks: Iterable[AssistantBlock]) -> None:
        """Tells what is left of the answer's text in its final form."""
        text = "".join(block.text for block in blocks if isinstance(block, TextContent))
        if len(text) > self._told:
            self._on_notice(TextDelta(text[self._told :]))

    def _add_at_start(self, text: str) -> None:
        """As long as all of it may be nothing but a call in JSON, or blanks before a call, nothing is told.

        The outline is the text so far with each run of blanks as one, so that it stays short.
        """
        self._head.append(text)
        self._outline = BLANKS.sub(" ", self._outline + text)
        if is_bare_call_begun(self._outline):
            self._waits = True
        elif not may_begin_bare_call(self._outline):
            self._is_at_start = False
            self._add("".join(self._head))
            self._head.clear()

    def _add(self, text: str) -> None:
        self._held += text
        end = len(self._held)
        if self._watches:
            found = MARKER.search(self._held)
            self._waits = found is not None
            end = found.start() if found else end - self._open_end()
        elif "\ud800" <= self._held[-1:] <= "\udbff":
            end -= 1
        if self._told or not self._watches or not self._held[:end].isspace():
            self._tell(end)

    def _open_end(self) -> int:
        """How many characters at the end may be the beginning of something that is not told."""
        held = self._held
        if "\ud800" <= held[-1] <= "\udbff":
            return 1
        for found in MARKER_START.finditer(held, max(len(held) - LONGEST_MARKER, 0)):
            tail = held[found.start() :]
            if any(marker.startswith(tail) for marker in MARKERS):
                return len(tail)
        return 0

    def _tell(self, length: int) -> None:
        if length <= 0:
            return
        piece = whole_text(self._held[:length])
        self._held = self._held[length:]
        self._told += len(piece)
        self._on_notice(TextDelta(piece))
