"""Text told as it arrives: never a half surrogate pair, never markup that turns out to be a call."""

from __future__ import annotations

import re
from collections.abc import Iterable

from seatrial.core.content import AssistantBlock, TextContent
from seatrial.core.model import NoticeSink, TextDelta
from seatrial.formats.reading import Reading
from seatrial.formats.text_calls import MARKERS, is_bare_call_begun, may_begin_bare_call
from seatrial.formats.wire_json import whole_text

MARKER = re.compile("|".join(re.escape(marker) for marker in MARKERS))
MARKER_START = re.compile(f"[{re.escape(''.join({marker[0] for marker in MARKERS}))}]")
LONGEST_MARKER = max(len(marker) for marker in MARKERS)


class LiveText:
    """Passes text on. From the first marker of a call on, text waits for the end, when it is known what it was."""

    def __init__(self, on_notice: NoticeSink, reading: Reading) -> None:
        self._on_notice = on_notice
        self._watches = reading.has_text_calls and bool(reading.tool_names)
        self._told = 0
        self._held = ""
        self._waits = False

    def add(self, text: str) -> None:
        """More text."""
        self._held += text
        if self._watches and not self._waits:
            self._watch()
        if not self._waits:
            self._tell(len(self._held) - self._open_end())

    def reclaim(self) -> None:
        """All text so far was reasoning."""
        self._told = 0
        self._held = ""
        self._waits = False

    def end(self, blocks: Iterable[AssistantBlock]) -> None:
        """Tells what is left of the answer's text in its final form."""
        text = "".join(block.text for block in blocks if isinstance(block, TextContent))
        if len(text) > self._told:
            self._on_notice(TextDelta(text[self._told :]))

    def _watch(self) -> None:
        found = MARKER.search(self._held)
        if found:
            self._tell(found.start())
        self._waits = found is not None or (self._told == 0 and is_bare_call_begun(self._held))

    def _open_end(self) -> int:
        """How many characters at the end may be the beginning of something that is not told."""
        held = self._held
        if "\ud800" <= held[-1] <= "\udbff":
            return 1
        if not self._watches:
            return 0
        if self._told == 0 and may_begin_bare_call(held):
            return len(held)
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
