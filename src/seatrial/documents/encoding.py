"""Bytes to text: byte-order marks, UTF-8, and what older programs write."""

from __future__ import annotations

import codecs

from seatrial.documents.base import Limits, Problem
from seatrial.errors import DocumentError

# UTF-32 before UTF-16: the mark of UTF-32-LE begins with that of UTF-16-LE.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_BYTES = 4096


def decode(data: bytes, source: str, limits: Limits) -> tuple[str, tuple[Problem, ...]]:
    """The text without its byte-order mark, line ends as they are, and a problem where the encoding was guessed.

    Raises `DocumentError` for binary data and for more text than the limits allow.
    """
    text, problems = _decode(data, source)
    if "\x00" in text:
        raise DocumentError(f"{source} is not a text file: it holds NUL characters", hint="give the file's real type")
    if len(text) > limits.max_text_chars:
        raise DocumentError(
            f"{source} holds {len(text):,} characters, the limit is {limits.max_text_chars:,}",
            hint="split the file, or point at the part that matters",
        )
    return text, problems


def with_unix_newlines(text: str) -> str:
    """The text with each line ended by one ``\\n``."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decode(data: bytes, source: str) -> tuple[str, tuple[Problem, ...]]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strictly(data[len(mark) :], encoding, source), ()
    wide = _wide_encoding(data[:_SAMPLE_BYTES])
    if wide is not None:
        return _strictly(data, wide, source), ()
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"0x{data[error.start]:02x} is not UTF-8"
        return _legacy(data), (Problem(f"{found}; the file was read as Windows-1252", source, line),)


def _strictly(data: bytes, encoding: str, source: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentError(
            f"{source} says it is {encoding.upper()} and is not: byte {error.start} cannot be read",
            hint="save the file as UTF-8",
        ) from error


def _wide_encoding(sample: bytes) -> str | None:
    """UTF-16 without a mark shows as Latin text with every second byte zero."""
    pairs = len(sample) // 2
    if pairs < 2:
        return None
    if sample[1::2].count(0) > pairs * 0.7 and sample[0::2].count(0) < pairs * 0.1:
        return "utf-16-le"
    if sample[0::2].count(0) > pairs * 0.7 and sample[1::2].count(0) < pairs * 0.1:
        return "utf-16-be"
    return None


def _legacy(data: bytes) -> str:
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")
