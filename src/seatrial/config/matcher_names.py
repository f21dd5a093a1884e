"""Blocks that stand for a matcher of an argument, and those that look as if they were meant to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from seatrial.config.names import folded, nearest

MATCHERS = ("literal", "regex", "fuzzy", "any", "subset", "schema")

# Near the name of a matcher, and as likely a key of the argument itself.
_OTHER_WORDS = frozenset(("an", "and", "man", "many", "scheme", "subnet", "subsets", "schemas"))
# What other tools, and our checks, call a matcher.
_WORDS_FOR = {
    "approx": "fuzzy", "contains": "regex", "json_schema": "schema", "matches": "regex", "pattern": "regex",
    "re": "regex", "similar": "fuzzy",
}  # fmt: skip
_SIMILARITY = "similarity"
_CASE_KEYS = ("ignore_case", "flags")


class Slip(NamedTuple):
    """A key that is no matcher. ``is_sure``: it can hardly be meant as a key of the argument."""

    key: str
    meant: str
    is_sure: bool


def matcher_kind(wanted: Any) -> str:
    """Which matcher a value is: ``regex`` for ``{regex: ...}``, ``literal`` for anything that is no matcher."""
    if isinstance(wanted, Mapping):
        if set(wanted) == {"fuzzy", _SIMILARITY}:
            return "fuzzy"
        if len(wanted) == 1 and next(iter(wanted)) in MATCHERS:
            return str(next(iter(wanted)))
    return "literal"


def slip_of_matcher(wanted: Any) -> Slip | None:
    """The slip in a block that is read as a literal and looks like a matcher; None when it does not look like one."""
    if not isinstance(wanted, Mapping) or not 1 <= len(wanted) <= 2 or not all(isinstance(key, str) for key in wanted):
        return None
    if len(wanted) == 1:
        (key,) = wanted
        return None if key in MATCHERS else _slip(key)
    for known, partner in (("fuzzy", _SIMILARITY), (_SIMILARITY, "fuzzy")):
        if known in wanted and partner not in wanted:
            (other,) = (key for key in wanted if key != known)
            return Slip(other, partner, is_sure=True) if nearest(other, (partner,)) else None
    if "regex" in wanted and (other := next((key for key in _CASE_KEYS if key in wanted), None)):
        return Slip(other, "(?i)` in the pattern, as in `(?i)oslo", is_sure=other == "ignore_case")
    return None


def _slip(key: str) -> Slip | None:
    if key in _WORDS_FOR:
        return Slip(key, _WORDS_FOR[key], is_sure=False)
    meant = nearest(key, MATCHERS)
    if meant is None:
        return None
    return Slip(key, meant, is_sure=folded(key) not in _OTHER_WORDS)
