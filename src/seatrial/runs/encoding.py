"""Records as bytes: JSON that every reader accepts, compressed where that saves space."""

from __future__ import annotations

import math
import zlib
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_encoder = msgspec.json.Encoder(enc_hook=str)
_COMPRESS_FROM_BYTES = 1000  # a small document costs more time than it saves space
_SMALL_WINDOW_BITS = 12
_SMALL_WINDOW_BYTES = 1 << _SMALL_WINDOW_BITS
_BRACES = b"{["


def to_json(value: Any) -> bytes:
    """Strict JSON in UTF-8: no NaN, no lone surrogates; what JSON has no form for is written as its text."""
    try:
        return _encoder.encode(value)
    except (UnicodeEncodeError, TypeError, ValueError, OverflowError):
        return _encoder.encode(_plain(value))


def pack(document: bytes) -> bytes:
    """The document, compressed when that makes it smaller."""
    if len(document) < _COMPRESS_FROM_BYTES:
        return document
    packed = _compressed(document)
    return packed if len(packed) < len(document) else document


def _compressed(document: bytes) -> bytes:
    """With a window no larger than needed: setting up the usual one takes five times as long as a small document."""
    if len(document) > _SMALL_WINDOW_BYTES:
        return zlib.compress(document)
    compressor = zlib.compressobj(wbits=_SMALL_WINDOW_BITS, memLevel=5)
    return compressor.compress(document) + compressor.flush()


def unpack(stored: bytes) -> bytes:
    """What `pack` was given. JSON starts with a brace, a zlib stream never does."""
    return stored if stored[:1] in _BRACES else zlib.decompress(stored)


def _plain(value: Any) -> Any:
    """``value`` made of JSON's own types only, for the rare value that the encoder refuses."""
    if isinstance(value, msgspec.Struct):
        value = msgspec.to_builtins(value, enc_hook=str, str_keys=True)
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case bool() | None:
            return value
        case int():
            return value if -(2**63) <= value < 2**64 else str(value)
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {_plain(str(key)): _plain(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_plain(item) for item in value]
        case _:
            return _plain(str(value))
