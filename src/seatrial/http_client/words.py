"""Text of a server made fit for a message to people: short, on one line, without secrets."""

from __future__ import annotations

from collections.abc import Iterable

PREVIEW_CHARS = 500
SHORTEST_SECRET = 4


def redact(text: str, secrets: Iterable[str]) -> str:
    """``text`` without the secrets."""
    for secret in secrets:
        if len(secret) >= SHORTEST_SECRET:
            text = text.replace(secret, "[secret]")
    return text


def preview(text: str) -> str:
    """The beginning of a text, short enough for a message, on one line."""
    line = " ".join(text[: PREVIEW_CHARS * 2].split())
    return line if len(line) <= PREVIEW_CHARS else line[:PREVIEW_CHARS] + "…"
