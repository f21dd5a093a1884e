"""Where a JSON value ends in text that goes on behind it, found in one pass and without reading the value."""

from __future__ import annotations

import re

STRING_STOP = re.compile(r'["\\]')
STOP = re.compile(r'["{}\[\]]')


class ValueEnd:
    """Looks for the end of an object or array whose text may come in pieces."""

    __slots__ = ("_depth", "_is_escaped", "_is_string")

    def __init__(self) -> None:
        self._depth = 0
        self._is_string = False
        self._is_escaped = False

    def find(self, text: str, at: int = 0) -> int:
        """The place behind the value's last bracket in this piece, -1 when it is not there."""
        while at < len(text):
            if self._is_escaped:
                self._is_escaped = False
                at += 1
                continue
            found = (STRING_STOP if self._is_string else STOP).search(text, at)
            if found is None:
                return -1
            at = found.end()
            if self._ends_with(found.group()):
                return at
        return -1

    def _ends_with(self, char: str) -> bool:
        if char == "\\":
            self._is_escaped = True
        elif char == '"':
            self._is_string = not self._is_string
        elif char in "{[":
            self._depth += 1
        else:
            self._depth -= 1
            return self._depth <= 0
        return False


def end_of_value(text: str, start: int) -> int:
    """Where the object or array that begins at ``start`` ends, or the end of the text."""
    end = ValueEnd().find(text, start)
    return end if end >= 0 else len(text)
