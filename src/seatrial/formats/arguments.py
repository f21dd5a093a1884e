"""The arguments of a tool call: text of any quality -> a dict, or the reason why not.

Slips of syntax are mended only in text that is whole. Nothing is ever added at the end: a text that stops early was
cut off, and what was cut off must not be run.
"""

from __future__ import annotations

import math
import re
from typing import Any

import msgspec

from seatrial.formats.wire_json import whole_text

MAX_DEPTH = 100
EXCERPT_CHARS = 1000
LONGEST_NUMBER = 4000
MAX_NUMBER_BITS = 14_280
FENCE_HEAD = r"```[\w-]{0,40}"
FENCE_START = re.compile(rf"{FENCE_HEAD}[ \t]*\r?\n?")
NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
WORD = re.compile(r"[A-Za-z_$][\w$-]*")
BLANK = " \t\r\n"
ESCAPES = {'"': '"', "'": "'", "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
LITERALS: dict[str, Any] = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}


class ReadArguments(msgspec.Struct, frozen=True):
    """``text`` is the text as it came (None for an object). With an ``error`` the ``arguments`` are empty."""

    arguments: dict[str, Any]
    text: str | None = None
    error: str | None = None
    is_repaired: bool = False


def read_arguments(raw: Any) -> ReadArguments:
    """The arguments in ``raw``: a dict, JSON text, JSON text in a JSON string, or nothing at all.

    Empty, blank, absent and ``null`` mean no arguments. Every other value that is no object is an error.
    """
    if raw is None:
        return ReadArguments({})
    if isinstance(raw, dict):
        wrong = _unwritable(raw)
        return ReadArguments(raw) if wrong is None else ReadArguments({}, error=wrong)
    if not isinstance(raw, str):
        return ReadArguments({}, error=f"the arguments must be a JSON object, not {_kind(raw)}")
    if not raw.strip():
        return ReadArguments({}, raw)
    try:
        value, is_repaired = _read_text(raw)
        if isinstance(value, str):
            value = _read_text(value)[0] if value.strip() else None
            is_repaired = True
    except LooseJsonError as error:
        return ReadArguments({}, raw, f"the arguments are not valid JSON: {error}. They were: {excerpt(raw)}")
    if value is None:
        return ReadArguments({}, raw)
    if not isinstance(value, dict):
        wrong = f"the arguments must be a JSON object, not {_kind(value)}. They were: {excerpt(raw)}"
        return ReadArguments({}, raw, wrong)
    return ReadArguments(value, raw, is_repaired=is_repaired)


def excerpt(text: str) -> str:
    """At most `EXCERPT_CHARS` characters: the head, and the tail where a cut can be seen."""
    if len(text) <= EXCERPT_CHARS:
        return text
    half = EXCERPT_CHARS // 2
    return f"{text[:half]} … {len(text) - 2 * half} characters … {text[-half:]}"


def without_fence(text: str) -> str | None:
    """What stands in the code fence that is all of the text, None where there is none."""
    stripped = text.strip()
    head = FENCE_START.match(stripped)
    if head is None or not stripped.endswith("```") or head.end() > len(stripped) - 3:
        return None
    return stripped[head.end() : -3].rstrip()


class LooseJsonError(ValueError):
    """The text cannot be read without guessing."""


def read_loose(text: str) -> Any:
    """The value of JSON with slips: single quotes, bare keys, trailing commas, Python's literals, raw line breaks, ...

    Raises `LooseJsonError` wherever there is more than one way to read it, and where it stops early.
    """
    reader = _LooseReader(text)
    value = reader.value(0)
    reader.expect_end()
    return value


def _read_text(text: str) -> tuple[Any, bool]:
    try:
        return msgspec.json.decode(text), False
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    fenced = without_fence(text)
    return read_loose(text if fenced is None else fenced), True


def _unwritable(arguments: dict[str, Any]) -> str | None:
    """Why JSON cannot hold the arguments as they are: kept, they would not be what was run."""
    try:
        data = msgspec.json.encode(arguments)
    except (UnicodeEncodeError, RecursionError):
        return None
    except (ValueError, TypeError, OverflowError) as error:
        return f"the arguments are not valid JSON: {error}"
    if b"null" not in data and len(data) < LONGEST_NUMBER:
        return None
    waiting: list[Any] = [arguments]
    while waiting:
        match waiting.pop():
            case dict() as found:
                waiting += found.values()
            case list() | tuple() as found:
                waiting += found
            case float() as number if not math.isfinite(number):
                return f"the arguments are not valid JSON: a number in them is {number}"
            case int() as number if number.bit_length() > MAX_NUMBER_BITS:
                return "the arguments are not valid JSON: a number has too many digits"
    return None


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list"
        case _:
            return type(value).__name__


class _LooseReader:
    def __init__(self, text: str) -> None:
        self.text = text.removeprefix("\ufeff")
        self.at = 0

    def value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise LooseJsonError(f"it is nested deeper than {MAX_DEPTH} levels")
        char = self._next_char()
        if char == "{":
            return self._object(depth)
        if char == "[":
            return self._array(depth)
        if char in "\"'":
            return self._string()
        number = NUMBER.match(self.text, self.at)
        if number:
            return self._number(number)
        word = WORD.match(self.text, self.at)
        if word and word.group() in LITERALS:
            self.at = word.end()
            return LITERALS[word.group()]
        raise self._unexpected()

    def expect_end(self) -> None:
        """Nothing may follow but blanks and stray quotes."""
        rest = self.text[self.at :].strip()
        if rest and rest.strip("\"'"):
            self._skip_blank()
            raise self._unexpected()

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self.at += 1
        while self._next_char() != "}":
            key = self._key()
            if self._next_char() != ":":
                raise self._unexpected()
            self.at += 1
            found[key] = self.value(depth + 1)
            self._comma_before("}")
        self.at += 1
        return found

    def _array(self, depth: int) -> list[Any]:
        found: list[Any] = []
        self.at += 1
        while self._next_char() != "]":
            found.append(self.value(depth + 1))
            self._comma_before("]")
        self.at += 1
        return found

    def _comma_before(self, closing: str) -> None:
        char = self._next_char()
        if char == ",":
            self.at += 1
        elif char != closing:
            raise self._unexpected()

    def _key(self) -> str:
        if self._next_char() in "\"'":
            return self._string()
        word = WORD.match(self.text, self.at)
        if not word:
            raise self._unexpected()
        self.at = word.end()
        return word.group()

    def _string(self) -> str:
        quote = self.text[self.at]
        start = self.at
        self.at += 1
        pieces: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == quote:
                self.at += 1
                return whole_text("".join(pieces))
            pieces.append(self._escape() if char == "\\" else char)
            if char != "\\":
                self.at += 1
        raise LooseJsonError(f"the text was cut off inside the string that starts at character {start + 1}")

    def _escape(self) -> str:
        follows = self.text[self.at + 1 : self.at + 2]
        if not follows:
            raise LooseJsonError("the text was cut off inside a string")
        if follows == "u":
            digits = self.text[self.at + 2 : self.at + 6]
            if len(digits) == 4 and all(digit in "0123456789abcdefABCDEF" for digit in digits):
                self.at += 6
                return chr(int(digits, 16))
        self.at += 2
        return ESCAPES.get(follows, "\\" + follows)

    def _number(self, found: re.Match[str]) -> int | float:
        text = found.group()
        if text.lstrip("-").isdigit():
            if len(text) > LONGEST_NUMBER:
                raise LooseJsonError("a number has too many digits")
            self.at = found.end()
            return int(text)
        number = float(text)
        if number in (float("inf"), float("-inf")):
            raise self._unexpected()
        self.at = found.end()
        return number

    def _next_char(self) -> str:
        self._skip_blank()
        if self.at >= len(self.text):
            raise LooseJsonError("the text was cut off before its end")
        return self.text[self.at]

    def _skip_blank(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in BLANK:
            self.at += 1

    def _unexpected(self) -> LooseJsonError:
        return LooseJsonError(f"{self.text[self.at]!r} at character {self.at + 1} is out of place")
