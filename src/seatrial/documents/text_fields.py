"""Finds the fields of records that hold text worth searching by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seatrial.documents.base import Record

_SAMPLE = 200
_USUAL_NAMES = frozenset(
    (
        "abstract",
        "answer",
        "article",
        "body",
        "caption",
        "comment",
        "content",
        "description",
        "details",
        "document",
        "feedback",
        "message",
        "name",
        "note",
        "notes",
        "passage",
        "question",
        "remarks",
        "review",
        "section",
        "summary",
        "text",
        "title",
        "topic",
    )
)
_WORDS_OF_PROSE = 3.0


def find_text_fields(records: Sequence[Record]) -> tuple[str, ...]:
    """The fields that read like text, in the order of the first record that has them; else every field.

    A field is text when its values are strings of letters that average three words or more, or when it has a usual
    name (``title``, ``description``, ...) and its values are strings of letters.
    """
    sample = records[:_SAMPLE]
    names = list(dict.fromkeys(name for record in sample for name in record.fields))
    found = tuple(name for name in names if _is_text(name, [record.fields.get(name) for record in sample]))
    return found or tuple(names)


def _is_text(name: str, values: Sequence[Any]) -> bool:
    filled = [value for value in values if value not in (None, "")]
    texts = [value for value in filled if isinstance(value, str)]
    if not texts or len(texts) < len(filled) * 0.8:
        return False
    if sum(map(_is_lettered, texts)) < len(texts) * 0.8:
        return False
    words = sum(len(text.split()) for text in texts) / len(texts)
    return words >= _WORDS_OF_PROSE or str(name).strip().lower() in _USUAL_NAMES


def _is_lettered(text: str) -> bool:
    """Mostly letters and spaces, so neither a number, a date, a code nor an address."""
    if "://" in text:
        return False
    letters = sum(char.isalpha() or char.isspace() for char in text)
    return letters >= len(text) * 0.6
