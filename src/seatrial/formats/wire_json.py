"""JSON as it goes over the wire: always valid going out, read with patience coming in."""

from __future__ import annotations

import json
from typing import Any

import msgspec

_encoder = msgspec.json.Encoder(enc_hook=str)
_decoder = msgspec.json.Decoder()
REPLACEMENT = "�"


class UnreadableJsonError(ValueError):
    """The text is no JSON."""


def encode(value: Any) -> bytes:
    """``value`` as JSON in UTF-8. Lone surrogates and NUL, which servers choke on, become U+FFFD."""
    try:
        data = _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(_clean(value))
    if b"\\u0000" in data:
        return _encoder.encode(_clean(value))
    return data


def decode(data: bytes | str) -> Any:
    """The value in ``data``; raises `UnreadableJsonError`.

    A byte order mark, lone surrogates, broken UTF-8 and raw control characters in strings are let through.
    """
    try:
        return _decoder.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
    try:
        return json.loads(text.removeprefix("\ufeff"), strict=False)
    except (ValueError, RecursionError) as error:
        raise UnreadableJsonError(str(error)) from error


def whole_text(text: str) -> str:
    """``text`` with surrogate pairs joined that came in two pieces; a lone half becomes U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return whole_text(value).replace("\0", REPLACEMENT)
    if isinstance(value, dict):
        return {_clean(key): _clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item) for item in value]
    return value
