"""Secrets taken out of everything that is kept or shown of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from seatrial.config.secrets import mask
from seatrial.runs.encoding import to_json

# Names and closed sets that stand in records; a secret that happens to equal one of them must not break the record.
_NEVER_MASKED = frozenset({"case", "variant", "outcome", "stop_reason", "limit", "kind", "status", "metric", "id"})

S = TypeVar("S", bound=msgspec.Struct)


class Masker:
    """Masks the given secret values in texts and records."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = frozenset(secrets)
        self._are_escaped = any(to_json(secret)[1:-1] != secret.encode() for secret in self._secrets)

    def text(self, text: str) -> str:
        """The text without secrets."""
        return mask(text, self._secrets)

    def record(self, record: S) -> S:
        """The same record when it holds no secret, else a copy with every secret masked."""
        if not self._secrets or not self._may_hold_one(record):
            return record
        masked: S = self._masked(record)
        return masked

    def _may_hold_one(self, record: msgspec.Struct) -> bool:
        """A quick look at the whole; secrets that JSON escapes may hide from it, so with such ones it is always yes."""
        document = to_json(record).decode()
        return self._are_escaped or mask(document, self._secrets) != document

    def _masked(self, value: Any) -> Any:
        match value:
            case str():
                return mask(value, self._secrets)
            case msgspec.Struct():
                return _with_fields(value, self._masked)
            case dict():
                return {self._masked(key): self._masked(item) for key, item in value.items()}
            case tuple() | list():
                return type(value)([self._masked(item) for item in value])
            case _:
                return value


def _with_fields(struct: msgspec.Struct, change: Callable[[Any], Any]) -> msgspec.Struct:
    names = [name for name in struct.__struct_fields__ if name not in _NEVER_MASKED]
    return msgspec.structs.replace(struct, **{name: change(getattr(struct, name)) for name in names})
