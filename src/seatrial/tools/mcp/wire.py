"""One JSON-RPC message after the other, read more tolerantly than the protocol asks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

PARSE_ERROR = -32700
INTERNAL_ERROR = -32603

_ID_AT_AN_END = re.compile(
    r'^.{0,80}?"id"\s*:\s*(\d+|"[^"]{1,100}")|"id"\s*:\s*(\d+|"[^"]{1,100}")\s*\}\s*$', re.DOTALL
)


def messages_in(line: bytes, encoding: str = "utf-8") -> Iterator[dict[str, Any]]:
    """The messages of a line, also of a batch; none when it is no JSON object. What is no text becomes U+FFFD.

    A line that is nested too deeply to be read gives an error in answer to the request that it answers.
    """
    try:
        value = _decoded(line, encoding)
    except RecursionError:
        yield from _too_deep(line.decode(encoding, "replace"))
        return
    except ValueError:
        return
    for message in value if isinstance(value, list) else (value,):
        if isinstance(message, dict):
            yield message


def error_reply(request_id: Any, code: int, message: str) -> dict[str, Any]:
    """A JSON-RPC error in answer to a request."""
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}


def _decoded(line: bytes, encoding: str) -> Any:
    if encoding == "utf-8":
        try:
            return msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            pass
    # Slower, and takes NaN, infinity and lone surrogates, which some servers send.
    return json.loads(line.decode(encoding, "replace").lstrip("\ufeff"))


def _too_deep(text: str) -> Iterator[dict[str, Any]]:
    found = _ID_AT_AN_END.search(text[:300]) or _ID_AT_AN_END.search(text[-300:])
    if found:
        request_id = json.loads(found[1] or found[2])
        yield error_reply(request_id, PARSE_ERROR, "the answer is nested too deeply to be read")
