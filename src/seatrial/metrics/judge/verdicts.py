"""Lists that a judge makes: statements of a text, and a verdict on each of several items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from seatrial.metrics.judge.reply import UnreadableReplyError, list_at, read_object, text_at

Word = Literal["yes", "no", "idk"]
_WORDS: dict[str, Word] = {
    "yes": "yes",
    "true": "yes",
    "no": "no",
    "false": "no",
    "idk": "idk",
    "unsure": "idk",
    "unknown": "idk",
    "borderline": "idk",
}
_MAX_STATEMENTS = 200


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a judge says of one item. ``is_verified`` is False where its quotation stands nowhere in the source."""

    item: str
    word: Word
    reason: str = ""
    quote: str = ""
    is_verified: bool = True

    @property
    def is_good(self) -> bool:
        """Whether it is a yes that holds; ``idk`` is none."""
        return self.word == "yes" and self.is_verified


def statements_schema() -> dict[str, Any]:
    """The reply's schema when a text is split into statements."""
    items = {"type": "array", "items": {"type": "string"}}
    return _closed({"statements": items})


def read_statements(reply: str) -> tuple[str, ...]:
    """The statements, blank ones left out. Raises `UnreadableReplyError`."""
    found = list_at(read_object(reply, "statements"), "statements", reply)
    if not all(isinstance(each, str) for each in found):
        raise UnreadableReplyError("a statement is no text", reply)
    statements = tuple(each.strip() for each in found if each.strip())
    if len(statements) > _MAX_STATEMENTS:
        raise UnreadableReplyError(f"it lists {len(statements)} statements", reply)
    return statements


def verdicts_schema(*, with_quote: bool) -> dict[str, Any]:
    """The reply's schema when items are judged: reason and quotation before the verdict."""
    fields: dict[str, Any] = {"number": {"type": "integer"}, "reason": {"type": "string"}}
    if with_quote:
        fields["quote"] = {"type": "string"}
    fields["verdict"] = {"type": "string", "enum": ["yes", "no", "idk"]}
    return _closed({"verdicts": {"type": "array", "items": _closed(fields)}})


def read_verdicts(reply: str, items: Sequence[str]) -> list[Verdict]:
    """One verdict for each item, in their order. Raises `UnreadableReplyError` for any other number of them."""
    found = list_at(read_object(reply, "verdicts"), "verdicts", reply)
    if len(found) != len(items):
        raise UnreadableReplyError(f"it has {len(found)} verdicts for {len(items)} items", reply)
    numbers = [each.get("number", place) for place, each in enumerate(found, start=1) if isinstance(each, dict)]
    if sorted(map(str, numbers)) != sorted(str(place) for place in range(1, len(items) + 1)):
        raise UnreadableReplyError("its numbers are not those of the items", reply)
    ordered = sorted(zip(numbers, found, strict=True), key=lambda pair: int(pair[0]))
    return [_verdict(each, item, reply) for (_, each), item in zip(ordered, items, strict=True)]


def counted(verdicts: Sequence[Verdict]) -> dict[str, int]:
    """How many of each kind."""
    counts = Counter(verdict.word if verdict.is_verified else "unverified" for verdict in verdicts)
    return {kind: counts[kind] for kind in ("yes", "no", "idk", "unverified")}


def _verdict(found: dict[str, Any], item: str, reply: str) -> Verdict:
    said = found.get("verdict")
    word = _WORDS.get(str(said).strip().lower())
    if word is None:
        raise UnreadableReplyError(f"{said!r:.40} is no verdict", reply)
    return Verdict(item, word, text_at(found, "reason"), text_at(found, "quote"))


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
