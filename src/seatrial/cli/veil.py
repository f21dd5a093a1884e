"""Secrets kept out of a text that comes piece by piece."""

from __future__ import annotations

from collections.abc import Iterable

from seatrial.config.secrets import mask

_LEAST_CHARS = 6  # `mask` looks for none that is shorter


class Veil:
    """Masks as `mask` does; the beginning of a secret is held back until it is one, or none."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = frozenset(secrets)
        self._heads = tuple(secret for secret in self._secrets if len(secret) >= _LEAST_CHARS)
        self._held = ""

    def feed(self, piece: str) -> str:
        """What may be shown now."""
        if not self._heads:
            return piece
        text = mask(self._held + piece, self._secrets)
        kept = self._held_back(text)
        self._held = text[len(text) - kept :]
        return text[: len(text) - kept]

    def finish(self) -> str:
        """What was held back, at the end of the text."""
        held, self._held = self._held, ""
        return held

    def _held_back(self, text: str) -> int:
        """How many characters at the end may be the beginning of a secret."""
        return max((_begun(text, secret) for secret in self._heads), default=0)


def _begun(text: str, secret: str) -> int:
    """How long the end of the text is that begins the secret."""
    at = text.find(secret[0], max(0, len(text) - len(secret) + 1))
    while at >= 0:
        if secret.startswith(text[at:]):
            return len(text) - at
        at = text.find(secret[0], at + 1)
    return 0
