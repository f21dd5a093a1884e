"""Slips in YAML that the parser notices too late or elsewhere: quotes above all. Each with the line as it may be meant.

The mended line is never used to run anything: it lets the rest of the file be read, so that one slip hides no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_KEY = r"""(?:"[^"]*"|'[^']*'|[^\s"'#\[\]{}&*!|>%@`,][^:#"'\[{]*?)"""
_VALUE = re.compile(rf"\s*(?:-\s+)*(?:{_KEY}:\s+)?(?:-\s+)*")
_BLOCK_TEXT = re.compile(r"(?:^|[:\-]\s+)[|>][-+0-9]*\s*(?:#.*)?$")
_STRUCTURE = re.compile(r"\s*(?:-\s+\S|(?:-\s+)*[\w.-]+:(?:\s|$))")
_NO_ALIAS = re.compile(r"\*(?:[^\w\s-]|[^\s,\]}]+[ ]+[^\s#,\]}])")
_NO_ALIAS_IN_LIST = re.compile(r"[\[,]\s*(\*[^\w\s-])")
_NAMES = {'"': "double quote", "'": "single quote"}
_INSIDE = {
    '"': 'inside double quotes write \\", or put the text in single quotes',
    "'": "inside single quotes write '' for an apostrophe, or put the text in double quotes",
}


class Slip(NamedTuple):
    """What is wrong in a line (from 1), and the line as it may be meant; None where that cannot be told."""

    line: int
    column: int
    message: str
    hint: str
    mended: str | None


def slips(lines: list[str], last: int) -> Iterator[Slip]:
    """Slips with quotes up to line ``last``, from the top."""
    number = 0
    while number < min(last, len(lines)):
        line = lines[number]
        if _BLOCK_TEXT.search(line):
            number = _behind_block_text(lines, number)
            continue
        number += 1
        start = _start_of_value(line)
        if start >= len(line):
            continue
        if _NO_ALIAS.match(line, start):
            yield _quoted(number, line, start, "a text cannot begin with *")
        in_list = _NO_ALIAS_IN_LIST.search(line, start) if line[start] == "[" else None
        if in_list is not None:
            yield Slip(number, in_list.start(1) + 1, "a text cannot begin with *", "put the text in quotes", None)
        found = _Quotes(line, start).slip(number)
        if isinstance(found, Slip):
            yield found
        elif found is not None:
            end, holds_structure = _closing_line(lines, number, line[found])
            if end is None or holds_structure:
                yield _never_closed(number, line, found)
            else:
                number = end


def quoted_value(number: int, line: str, column: int, message: str) -> Slip:
    """The slip of a value that needs quotes, at a column (from 1) in it."""
    start = _start_of_value(line)
    has_value = start < min(column, len(line)) and line[start] not in "[{"
    mended = line[:start] + _in_quotes(line[start:].rstrip()) if has_value else None
    return Slip(number, column, message, "put the text in quotes", mended)


def without_tabs(lines: list[str]) -> list[str]:
    """The lines with spaces in place of tabs in their indents, as deep as the line before suggests."""
    mended: list[str] = []
    before = ""
    for line in lines:
        body = line.lstrip()
        if "\t" in line[: len(line) - len(body)] and body:
            depth = len(before) - len(before.lstrip())
            opens = before.rstrip().endswith(":") or before.lstrip().startswith("- ")
            line = " " * (depth + 2 if opens else depth) + body
        mended.append(line)
        before = line if body else before
    return mended


class _Quotes:
    """Goes over the quoted texts of one line, from where its value begins."""

    def __init__(self, line: str, start: int) -> None:
        self.line = line
        self.start = start
        self.is_flow = line[start] in "[{"

    def slip(self, number: int) -> Slip | int | None:
        """A slip; where a quote opens that is not closed in this line; None when all is well."""
        index, is_at_start = self.start, True
        while index < len(self.line):
            character = self.line[index]
            if is_at_start and character in _NAMES:
                end = closing(self.line, index)
                if end is None:
                    return index
                if not self._may_follow(end + 1):
                    return self._goes_on(number, index, end)
                index = end
            elif not self.is_flow or (character == "#" and self.line[index - 1] == " "):
                return None
            is_at_start = character in "[{," or (character == ":") or (is_at_start and character == " ")
            index += 1
        return None

    def _may_follow(self, index: int) -> bool:
        rest = self.line[index:]
        return not rest.strip() or rest.lstrip()[0] in (",]}:" if self.is_flow else ":") or rest.lstrip()[0] == "#"

    def _goes_on(self, number: int, start: int, end: int) -> Slip:
        mark = self.line[start]
        message = f"the text goes on behind the {_NAMES[mark]} that ends it"
        mended = f"{self.line[:start]}{_in_quotes(self.line[start:].strip(mark + ' '))}"
        return Slip(number, end + 1, message, _INSIDE[mark], None if self.is_flow else mended)


def closing(line: str, start: int) -> int | None:
    """Where the quote that opens at ``start`` is closed in the line."""
    mark, index = line[start], start + 1
    while index < len(line):
        if mark == '"' and line[index] == "\\":
            index += 1
        elif line[index] == mark:
            if mark == '"' or line[index + 1 : index + 2] != "'":
                return index
            index += 1
        index += 1
    return None


def _start_of_value(line: str) -> int:
    found = _VALUE.match(line)
    return found.end() if found is not None else len(line)


def _behind_block_text(lines: list[str], number: int) -> int:
    depth = len(lines[number]) - len(lines[number].lstrip())
    number += 1
    while number < len(lines):
        line = lines[number]
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            break
        number += 1
    return number


def _closing_line(lines: list[str], number: int, mark: str) -> tuple[int | None, bool]:
    """The line (from 1) that has the next such quote, and whether keys or items stand on the way there."""
    holds_structure = False
    for index in range(number, len(lines)):
        before, found, _ = lines[index].partition(mark)
        holds_structure = holds_structure or _STRUCTURE.match(before) is not None
        if found:
            return index + 1, holds_structure
    return None, holds_structure


def _never_closed(number: int, line: str, start: int) -> Slip:
    is_flow = line[_start_of_value(line)] in "[{"
    mended = None if is_flow else line[:start] + _in_quotes(line[start + 1 :].rstrip())
    message, hint = "the quote that opens here is never closed", "close it, or leave both quotes out"
    return Slip(number, start + 1, message, hint, mended)


def _quoted(number: int, line: str, start: int, message: str) -> Slip:
    mended = line[:start] + _in_quotes(line[start:].rstrip())
    return Slip(number, start + 1, message, "put the text in quotes", mended)


def _in_quotes(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
