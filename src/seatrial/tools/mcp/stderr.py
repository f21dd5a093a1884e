"""The last lines that a server wrote for people."""

from __future__ import annotations

import logging
import re
from collections import deque

KEPT_LINES = 50
MAX_LINE_CHARS = 500
TOLD_LINES = 12
TOLD_CHARS = 200

_COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
# Node.js puts them below the reason, Python underlines the place above it.
_STACK_FRAME = re.compile(r"\s+at .*[:(]|[\s^~]+$")

logger = logging.getLogger("seatrial.mcp")


class StderrTail:
    """Takes bytes as they come, keeps the last lines, logs all of them at debug level."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._rest = b""

    def feed(self, data: bytes) -> None:
        """More of the stream."""
        *lines, rest = (self._rest + data).split(b"\n")
        # Of a line that never ends the beginning is enough.
        self._rest = rest[: MAX_LINE_CHARS * 4]
        for line in lines[-KEPT_LINES:]:
            self.add(line.decode("utf-8", "replace"))

    def add(self, line: str) -> None:
        """One whole line."""
        line = _COLOURS.sub("", line).rstrip()[:MAX_LINE_CHARS]
        if line:
            # What is said over and over again would drive out what explains it.
            if not self._lines or self._lines[-1] != line:
                self._lines.append(line)
            logger.debug("%s: %s", self._name, line)

    @property
    def lines(self) -> tuple[str, ...]:
        """What is kept, oldest first, an unfinished last line too."""
        rest = _COLOURS.sub("", self._rest.decode("utf-8", "replace")).strip()[:MAX_LINE_CHARS]
        return (*self._lines, *([rest] if rest else []))

    def told(self) -> str:
        """The last lines as part of an error, or nothing."""
        telling = [line[:TOLD_CHARS] for line in self.lines if not _STACK_FRAME.match(line)]
        lines = telling[-TOLD_LINES:]
        return "" if not lines else "\nits last words:\n" + "\n".join(f"  {line}" for line in lines)
