"""Markdown that comes piece by piece, cut where a block is surely over."""

from __future__ import annotations

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")


class Blocks:
    """``feed`` gives the blocks that a piece completes; ``rest`` is what has come of the next one.

    A block ends at a blank line that is followed by a line without indent, never inside a fence of code: what follows
    cannot change how it looks. Each character is looked at once, however the text is cut.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line = ""
        self._fence = ""
        self._has_blank_end = False

    @property
    def rest(self) -> str:
        """The text that is not yet given out."""
        return "\n".join([*self._lines, self._line])

    def tail(self, lines: int) -> str:
        """The last lines of the rest."""
        return "\n".join([*self._lines[-lines:], self._line])

    def feed(self, piece: str) -> list[str]:
        """The blocks that are complete now, without blank lines around them."""
        done: list[str] = []
        first, *others = piece.split("\n")
        self._grow(first, done)
        for part in others:
            self._end_line()
            self._grow(part, done)
        return done

    def finish(self) -> str:
        """All that is left, as it is at the end of the text."""
        rest = self.rest.strip("\n")
        self.__init__()  # type: ignore[misc]
        return rest if rest.strip() else ""

    def _grow(self, part: str, done: list[str]) -> None:
        if not self._line and part and self._has_blank_end and not part[0].isspace():
            done.append("\n".join(self._lines).strip("\n"))
            self._lines = []
            self._has_blank_end = False
        self._line += part

    def _end_line(self) -> None:
        line, self._line = self._line, ""
        fence = _FENCE.match(line)
        if self._fence:
            if fence and fence[1].startswith(self._fence) and not fence[2].strip():
                self._fence = ""
        elif fence:
            self._fence = fence[1]
        if line.strip() or self._lines:
            self._lines.append(line)
        self._has_blank_end = bool(self._lines) and not self._fence and not line.strip()
