"""How long a server asks to wait before the next try."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Seconds that the server asks to wait: ``retry-after-ms``, or ``retry-after`` as seconds or as a date.

    A date is measured against the reply's own ``date``, so that a wrong clock here does no harm (RFC 9110, 10.2.3).
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    if seconds is not None:
        return seconds
    at = _moment(value)
    if at is None:
        return None
    sent_at = _moment(headers.get("date"))
    reference = sent_at if sent_at is not None else (time.time() if now is None else now)
    return max(at - reference, 0.0)


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and 0 <= value < float("inf") else None


def _moment(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() if text else None
    except (ValueError, OverflowError):
        return None
