"""Secrets taken out of everything that is kept or shown of a run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from seatrial.runs.encoding import to_json

MASK = "***"
SHORTEST = 4  # shorter values (a flag, a port) stand everywhere by chance: masking them would only spoil the text

# Names and closed sets that stand in records; a secret that happens to equal one of them must not break the record.
_NEVER_MASKED = frozenset({"case", "variant", "outcome", "stop_reason", "limit", "kind", "status", "metric", "id"})

S = TypeVar("S", bound=msgspec.Struct)


class Masker:
    """Replaces each secret value by ``***``, longest first, so that no part of a longer one is left."""

    def __init__(self, secrets: Iterable[str]) -> None:
        long_enough = {secret for secret in secrets if len(secret) >= SHORTEST}
        self._secrets = sorted(long_enough, key=lambda secret: (-len(secret), secret))
        self._in_json = [form for secret in self._secrets for form in _json_forms(secret)]

    def text(self, text: str) -> str:
        """The text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        return text

    def record(self, record: S) -> S:
        """The same record when it holds no secret, else a copy with every secret masked."""
        if not self._secrets:
            return record
        document = to_json(record)
        if not any(form in document for form in self._in_json):
            return record
        masked: S = self._masked(record)
        return masked

    def _masked(self, value: Any) -> Any:
        match value:
            case str():
                return self._without_secrets(value)
            case msgspec.Struct():
                return _with_fields(value, self._masked)
            case dict():
                return {self._masked(key): self._masked(item) for key, item in value.items()}
            case tuple() | list():
                return type(value)([self._masked(item) for item in value])
            case _:
                return value

    def _without_secrets(self, text: str) -> str:
        text = self.text(text)
        for secret in self._secrets:  # inside the JSON text of a tool call's arguments
            text = text.replace(_as_json_text(secret), MASK)
        return text


def _with_fields(struct: msgspec.Struct, change: Any) -> msgspec.Struct:
    changed = {name: change(getattr(struct, name)) for name in struct.__struct_fields__ if name not in _NEVER_MASKED}
    return msgspec.structs.replace(struct, **changed)


def _as_json_text(text: str) -> str:
    return to_json(text)[1:-1].decode()


def _json_forms(secret: str) -> set[bytes]:
    """How the secret looks inside JSON, and inside JSON that is a string of JSON."""
    once = _as_json_text(secret)
    return {once.encode(), _as_json_text(once).encode()}
