"""What went wrong, in the words of whoever answered: error bodies of every dialect -> `ProviderError`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from seatrial.errors import ProviderError
from seatrial.http_client.retry_after import retry_after
from seatrial.http_client.words import preview, redact

RETRIED_STATUSES = frozenset({408, 409, 425, 429})
QUOTA = "insufficient_quota"
OVERFLOW = "context_overflow"
QUOTA_WORDS = (
    "insufficient_quota",
    "exceeded your current quota",
    "billing",
    "credit balance",
    "insufficient balance",
    "insufficient credits",
    "payment required",
)
OVERFLOW_WORDS = (
    "context_length_exceeded",
    "maximum context length",
    "prompt is too long",
    "exceeds the available context size",
    "exceed_context_size",
    "input is too long",
    "context window",
    "too many input tokens",
    "input token count exceeds",
)
BUSY_WORDS = ("overloaded", "rate_limit", "server_error", "api_error", "timeout", "unavailable", "busy", "too_many")
MESSAGE_KEYS = ("message", "detail", "msg", "error_message", "error_description", "title")
ANSWER_KEYS = frozenset(
    {"choices", "content", "output", "candidates", "response", "finish_reason", "stop_reason", "role"}
)


class ErrorWords(NamedTuple):
    """What an error body says: words for people, the provider's code, and an HTTP status named in the body."""

    message: str
    code: str | None = None
    status: int | None = None


def error_of_reply(
    status: int, headers: Mapping[str, str], body: bytes, *, secrets: Iterable[str] = (), now: float | None = None
) -> ProviderError:
    """The error behind a reply whose status is not 2xx, with ``secrets`` blotted out."""
    words = error_words_of(body)
    code = _common_code(words, status)
    can_retry = _can_retry(status, code, headers)
    wait_s = retry_after(headers, now=now) if can_retry else None
    request_id = headers.get("x-request-id") or headers.get("request-id")
    parts = [f"HTTP {status}"]
    if words.message:
        parts.append(f": {redact(words.message, secrets).rstrip('.')}")
    if wait_s is not None:
        parts.append(f" (the server asks to wait {wait_s:g} s)")
    if request_id:
        parts.append(f" (request {request_id})")
    return ProviderError(
        "".join(parts),
        hint=_hint_for(status, headers),
        status=status,
        code=code,
        request_id=request_id,
        can_retry=can_retry,
        retry_after_s=wait_s,
    )


def error_inside(words: ErrorWords, *, secrets: Iterable[str] = ()) -> ProviderError:
    """The error that came inside a reply whose status was 2xx."""
    code = _common_code(words, words.status or 0)
    if words.status is not None:
        can_retry = _can_retry(words.status, code, {})
    else:
        can_retry = code not in (QUOTA, OVERFLOW) and any(word in (code or "").lower() for word in BUSY_WORDS)
    return ProviderError(redact(words.message, secrets), status=words.status, code=code, can_retry=can_retry)


def error_words_of(body: bytes) -> ErrorWords:
    """What an error body says; one that is no JSON, or JSON of no known shape, is shown from its beginning."""
    text = body.decode("utf-8", "replace").strip()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ErrorWords(preview(text))
    return error_words(value) or _loose_words(value) or ErrorWords(preview(text))


def error_words(value: Any) -> ErrorWords | None:
    """The error in a decoded body, in any of the shapes in use; None when it does not hold one."""
    if isinstance(value, list):
        return error_words(value[0]) if len(value) == 1 else None
    if not isinstance(value, dict):
        return None
    inner = value.get("error")
    if not inner and isinstance(value.get("error_message"), str):
        inner = value["error_message"]
    if isinstance(inner, str) and inner:
        return ErrorWords(preview(inner), _word(value.get("code")))
    if isinstance(inner, dict) and inner:
        return _words_of(inner, value)
    errors = value.get("errors")
    if isinstance(errors, list) and errors and isinstance(errors[0], dict):
        return _words_of(errors[0], value)
    if value.get("object") == "error" or value.get("type") == "error":
        return _words_of(value, value)
    if not value.keys() & ANSWER_KEYS:
        return _loose_words(value)
    return None


def _loose_words(value: Any) -> ErrorWords | None:
    return _words_of(value, value) if isinstance(value, dict) and _text_in(value) else None


def _words_of(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> ErrorWords:
    code = _word(inner.get("code")) or _word(inner.get("type")) or _word(outer.get("code"))
    numbers = (inner.get("code"), inner.get("status"), inner.get("status_code"), outer.get("code"))
    status = next((number for number in numbers if type(number) is int and 400 <= number < 600), None)
    text = _text_in(inner) or _text_in(outer) or json.dumps(inner, ensure_ascii=False, default=str)
    metadata = inner.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("raw"), str):
        text = f"{text}: {metadata['raw']}"
    return ErrorWords(preview(text), code, status)


def _text_in(value: Mapping[str, Any]) -> str:
    for key in MESSAGE_KEYS:
        text = value.get(key)
        if isinstance(text, str) and text:
            return text
        if isinstance(text, list) and text:
            return json.dumps(text, ensure_ascii=False, default=str)
    return ""


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _common_code(words: ErrorWords, status: int) -> str | None:
    told = f"{words.code or ''} {words.message}".lower()
    if status == 402 or any(word in told for word in QUOTA_WORDS):
        return QUOTA
    if status in (0, 400, 413, 422, 500) and any(word in told for word in OVERFLOW_WORDS):
        return OVERFLOW
    return words.code


def _can_retry(status: int, code: str | None, headers: Mapping[str, str]) -> bool:
    if code in (QUOTA, OVERFLOW):
        return False
    wish = headers.get("x-should-retry")
    if wish in ("true", "false"):
        return wish == "true"
    return status in RETRIED_STATUSES or status >= 500


def _hint_for(status: int, headers: Mapping[str, str]) -> str | None:
    if status == 401:
        return "check the API key; `seatrial doctor` says which one is used"
    if status == 404:
        return "check the endpoint's URL and the model's name; `seatrial doctor --online` names the host's models"
    if 300 <= status < 400:
        return f"the endpoint has moved to {headers.get('location', 'another address')}; write that address"
    return None
