"""Findings about the user's files: what is wrong, where, and what to write instead."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Literal

Severity = Literal["error", "warning"]

CODES: dict[str, str] = {
    "ST101": "the file is not valid YAML",
    "ST102": "a key is not known here",
    "ST103": "a key is given twice",
    "ST104": "a key that must be there is missing or empty",
    "ST105": "a value has the wrong type",
    "ST106": "the file is not UTF-8 text",
    "ST107": "a line is indented with a tab",
    "ST108": "the file is empty or holds no keys",
    "ST109": "a YAML tag is not accepted",
    "ST110": "an anchor or alias cannot be used, or the nesting is too deep",
    "ST111": "the file holds several documents",
    "ST112": "a row of a data file cannot be read",
    "ST113": "a list has an empty item",
    "ST201": "keys exclude each other",
    "ST202": "one of several keys is needed",
    "ST203": "two settings contradict each other",
    "ST301": "a file or folder does not exist",
    "ST302": "a file cannot be used as what it is named for",
    "ST303": "an environment variable is not set",
    "ST304": "a Python file does not define the function",
    "ST305": "a tool is not defined",
    "ST306": "a metric is not defined",
    "ST307": "a Python file has a syntax error",
    "ST308": "a prompt template uses a name that is no parameter",
    "ST309": "a database is not defined",
    "ST401": "a name is used twice",
    "ST402": "a text does not have the form it must have",
    "ST403": "a text is too long",
    "ST404": "a text is empty",
    "ST405": "a number is out of range",
    "ST406": "a value is not one of the allowed ones",
    "ST407": "there are too many or too few items",
    "ST408": "a pattern or schema is not valid",
    "ST409": "a threshold does not fit the metric's scale",
    "ST410": "a name holds control characters",
    "ST501": "a test case checks nothing",
    "ST502": "a key of HoloDeck means nothing here",
    "ST503": "a limit is exceeded that HoloDeck does not set",
    "ST504": "a metric needs a ground_truth that is not there",
    "ST505": "a model is not in the catalogue",
    "ST506": "a metric of a case is not in the evaluation block",
    "ST507": "a parameter is not used by its prompt template",
    "ST508": "a tool may be one of an MCP server, or not exist",
    "ST509": "a HoloDeck setting was carried over with a change",
    "ST510": "a key looks like a slip of a known one",
    "ST511": "a value has no effect where it stands",
    "ST512": "quotes or an anchor may not be meant as they are read",
}

_MAX_SHOWN = 120
_MAX_KEPT = 400
_MAX_MATCHED = 2_000
_MASK_LENGTH = len("[secret]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A spot in a file: line and column from 1 (line 0 is the file as a whole), length in characters."""

    file: Path
    line: int = 0
    column: int = 1
    length: int = 1


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    ``snippet`` is the offending line as it stands in the file, secrets masked; of a very long line the part around
    the place, which then begins behind ``snippet_start`` characters. ``shown_at`` is where the place is in the masked
    line: from 1, and its length.
    """

    severity: Severity
    code: str
    message: str
    place: Place
    hint: str | None = None
    snippet: str | None = None
    key_path: tuple[str | int, ...] = ()
    snippet_start: int = 0
    shown_at: tuple[int, int] | None = None

    @property
    def file(self) -> Path:
        """The file in question, as the user named it."""
        return self.place.file

    @property
    def line(self) -> int:
        """From 1; 0 when the file as a whole is meant."""
        return self.place.line

    @property
    def column(self) -> int:
        """From 1."""
        return self.place.column

    @property
    def shown_file(self) -> str:
        """The file's name on one line, whatever is in it."""
        return printable(str(self.place.file)).replace("\n", "\\n")

    @property
    def location(self) -> str:
        """``file:line:column``, or the file alone."""
        place = self.place
        return f"{self.shown_file}:{place.line}:{place.column}" if place.line else self.shown_file

    def with_line(self, line: str, masked: str | None = None) -> Diagnostic:
        """The finding with the line that it is about, shown as ``masked`` where it holds secrets."""
        shown_at = None
        if masked is not None and masked != line:
            column = _moved(line, masked, self.place.column)
            shown_at = column, max(1, _moved(line, masked, self.place.column + self.place.length) - column)
            line = masked
        column = self.place.column if shown_at is None else shown_at[0]
        start = max(0, column - _MAX_KEPT // 2) if len(line) > _MAX_KEPT else 0
        return replace(self, snippet=line[start : start + _MAX_KEPT], snippet_start=start, shown_at=shown_at)

    def as_error(self) -> Diagnostic:
        """The same finding, counted as an error."""
        return replace(self, severity="error")

    def as_dict(self) -> dict[str, Any]:
        """Plain data for ``--json``."""
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
            "file": str(self.place.file),
            "line": self.place.line,
            "column": self.place.column,
            "snippet": self.snippet,
            "path": list(self.key_path),
        }

    def as_text(self) -> str:
        """Several lines for people: location, message, the offending line with a caret, the hint."""
        lines = [f"{self.location}: {self.severity}[{self.code}]: {self.message}"]
        if self.snippet is not None and self.place.line:
            lines += self._pointed_snippet(self.snippet)
        if self.hint:
            lines.append(f"  = {self.hint}")
        return "\n".join(lines)

    def as_github_annotation(self) -> str:
        """A workflow command that GitHub shows at the line."""
        text = f"{self.message}\n{self.hint}" if self.hint else self.message
        place = self.place
        fields = [f"file={_escape_property(str(place.file))}"]
        if place.line:
            fields += [f"line={place.line}", f"col={place.column}", f"endColumn={place.column + place.length}"]
        fields.append(f"title={_escape_property(self.code)}")
        return f"::{self.severity} {','.join(fields)}::{_escape_data(text)}"

    def _pointed_snippet(self, snippet: str) -> list[str]:
        shown_column, length = self.shown_at or (self.place.column, self.place.length)
        column = max(0, shown_column - 1 - self.snippet_start)
        start = max(0, column - _MAX_SHOWN // 2) if len(snippet) > _MAX_SHOWN else 0
        shown = snippet[start : start + _MAX_SHOWN]
        before = shown[: column - start]
        width = max(1, min(length, len(shown) - len(before)))
        number = str(self.place.line)
        gutter = " " * len(number)
        indent = "".join("\t" if character == "\t" else " " for character in before)
        return [f"  {number} | {printable(shown)}", f"  {gutter} | {indent}{'^' * width}"]


def printable(text: str) -> str:
    """The text with control and direction characters written out, so that it cannot move a terminal's cursor."""
    return _CONTROL.sub(_escape, text)


def _moved(line: str, masked: str, column: int) -> int:
    """Where a column of a line is in its masked form; within what is masked, where that begins."""
    place = column - 1
    pairs = enumerate(zip(line, masked, strict=False))
    same = next((index for index, (one, other) in pairs if one != other), min(len(line), len(masked)))
    if place <= same:
        return column
    if len(line) > _MAX_MATCHED:
        return max(same, len(masked) - len(line) + place) + 1
    for matched, shown, length in SequenceMatcher(None, line, masked, autojunk=False).get_matching_blocks():
        if matched <= place < matched + length:
            return shown + place - matched + 1
        if matched > place:
            return max(same, shown - _MASK_LENGTH) + 1
    return len(masked) + 1


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape_data(text).replace(":", "%3A").replace(",", "%2C")
