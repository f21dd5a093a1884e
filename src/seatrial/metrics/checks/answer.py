"""What checks of the answer's text share."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from seatrial.metrics.base import Evidence, Measurement

EMPTY = Measurement(0.0, "the answer is empty")


def verdict(is_right: bool, reason_if_not: str, reason_if_right: str = "") -> Measurement:
    """1 or 0 with the reason that belongs to it."""
    return Measurement(1.0, reason_if_right) if is_right else Measurement(0.0, reason_if_not)


def comparable(text: str, *, ignore_case: bool) -> str:
    """The text in Unicode form NFC, with case folded if wanted."""
    text = unicodedata.normalize("NFC", text)
    return unicodedata.normalize("NFC", text.casefold()) if ignore_case else text


def texts_of(value: str | Sequence[str]) -> tuple[str, ...]:
    """One text or several, as several."""
    return (value,) if isinstance(value, str) else tuple(value)


def excerpt(evidence: Evidence, length: int = 80) -> str:
    """The beginning of the answer, quoted."""
    text = evidence.output.strip()
    return repr(text if len(text) <= length else text[: length - 1] + "…")
