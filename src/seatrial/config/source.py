"""The text of one file, read as UTF-8 whatever the locale."""

from __future__ import annotations

import hashlib
import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.masked_lines import lines_below_holders, mask_line
from seatrial.errors import ConfigError

_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff")
_MAX_BYTES = 4_000_000
_DATA_FILES = (".jsonl", ".ndjson", ".csv", ".tsv")
_UNREADABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Source:
    """A file's text without its byte order mark, line ends as ``\\n``. ``path`` is as the user named it."""

    path: Path
    text: str = field(repr=False)
    _shown: dict[int, str] = field(repr=False, compare=False, default_factory=dict)

    @cached_property
    def lines(self) -> list[str]:
        """The text by lines, without their ends."""
        return self.text.split("\n")

    def lines_in_turn(self) -> Iterator[str]:
        """The same, one after the other: `lines` of a large file are kept, and take more memory than its text."""
        start = 0
        while (end := self.text.find("\n", start)) >= 0:
            yield self.text[start:end]
            start = end + 1
        yield self.text[start:]

    @cached_property
    def are_below_holders(self) -> list[bool]:
        """For each line whether only secrets stand there, as far as indents can tell."""
        return lines_below_holders(self.lines)

    def shown_line(self, number: int) -> str | None:
        """Line ``number``, counted from 1, without the values of secret keys."""
        if number not in self._shown and 0 < number <= len(self.lines):
            is_below_holder = self.are_below_holders[number - 1]
            self._shown[number] = mask_line(self.lines[number - 1], is_below_holder=is_below_holder)
        return self._shown.get(number)

    @cached_property
    def sha256(self) -> str:
        """A digest of the text, the same for all styles of line ends."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @cached_property
    def _line_starts(self) -> list[int]:
        return list(accumulate((len(line) + 1 for line in self.lines), initial=0))

    def position(self, index: int) -> tuple[int, int]:
        """Line and column, from 1, of a character of the text."""
        line = bisect_right(self._line_starts, index) - 1
        return line + 1, index - self._line_starts[line] + 1

    def index(self, line: int, column: int) -> int:
        """The character of the text at a line and column that count from 1."""
        return self._line_starts[line - 1] + column - 1

    def find(self, text: str, start: Place) -> Place:
        """The first place of a text from ``start`` on; ``start`` itself when it is not there."""
        for number in range(start.line, len(self.lines) + 1):
            line = self.lines[number - 1]
            column = line.find(text, start.column - 1 if number == start.line else 0)
            if column >= 0:
                return Place(self.path, number, column + 1, len(text))
        return start

    def line(self, number: int) -> str | None:
        """Line ``number``, counted from 1."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else None


def read_source(path: Path) -> Source:
    """The file's text; raises `ConfigError` with one diagnostic when it cannot be read as text."""
    content = read_bytes(path)
    if len(content) > _MAX_BYTES and path.suffix.lower() not in _DATA_FILES:
        shown = f"{path.name} is {len(content) / 1e6:.0f} MB large; at most {_MAX_BYTES / 1e6:.0f} MB are read"
        raise _unreadable(path, "ST302", shown, hint="put many test cases into a file of JSONL or CSV")
    if content.startswith(_WIDE_BOMS):
        raise _unreadable(path, "ST106", f"{path.name} is UTF-16, not UTF-8", hint="save the file as UTF-8")
    try:
        text = content.removeprefix(_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        before = content.removeprefix(_BOM)[: error.start]
        line = before.count(b"\n") + 1
        column = len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
        shown = f"0x{error.object[error.start]:02x}"
        message = f"{path.name} is not UTF-8: byte {shown} in line {line}"
        raise _unreadable(path, "ST106", message, Place(path, line, column), hint="save the file as UTF-8") from None
    return Source(path, text.replace("\r\n", "\n").replace("\r", "\n"))


def unreadable_character(source: Source) -> Diagnostic | None:
    """A finding about the first control character, which no YAML file may hold."""
    found = _UNREADABLE.search(source.text)
    if found is None:
        return None
    line = source.text.count("\n", 0, found.start()) + 1
    column = found.start() - (source.text.rfind("\n", 0, found.start()) + 1) + 1
    return Diagnostic(
        "error",
        "ST106",
        f"the character U+{ord(found[0]):04X} is not allowed in a YAML file",
        Place(source.path, line, column),
        hint='remove it, or write it as an escape in double quotes, like "\\x07"',
    )


def read_bytes(path: Path) -> bytes:
    """The bytes of a regular file; raises `ConfigError` that says why they cannot be had."""
    try:
        if not path.exists():
            raise _unreadable(path, "ST301", f"{path} does not exist", hint=_names_beside(path))
        if not path.is_file():
            raise _unreadable(path, "ST302", f"{path} is not a file")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _unreadable(path, "ST302", f"{path} cannot be read: {reason}") from error


def _names_beside(path: Path) -> str | None:
    try:
        found = sorted(entry.name for entry in os.scandir(path.parent) if entry.name.endswith((".yaml", ".yml")))
    except OSError:
        return f"there is no folder {path.parent}"
    return f"in this folder: {', '.join(found[:5])}" if found else None


def _unreadable(
    path: Path, code: str, message: str, place: Place | None = None, *, hint: str | None = None
) -> ConfigError:
    finding = Diagnostic("error", code, message, place or Place(path), hint=hint)
    return ConfigError(message, hint=hint, diagnostics=(finding,))
