"""The words of a question, and how much of them a text holds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

_MAX_TERMS = 32
_EDGES = re.compile(r"^\W+|\W+$")
_TOKENS = re.compile(r"[^\W_]+")
_CODE = re.compile(r"\d|[^\W_][_/.-][^\W_]")
_COMMON = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "by", "can", "could", "did", "do", "does", "for", "from", "had"),
        *("has", "have", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of", "on", "or", "our", "s"),
        *("should", "so", "that", "the", "their", "there", "they", "this", "to", "was", "we", "were", "what", "when"),
        *("where", "which", "who", "why", "will", "with", "would", "you", "your"),
    )
)


def query_terms(query: str) -> list[str]:
    """The words worth looking for, each once: common English words only when there are no others."""
    words = list(dict.fromkeys(fold(_EDGES.sub("", word)) for word in query.split()))
    words = [word for word in words if _TOKENS.search(word)]
    return ([word for word in words if word not in _COMMON] or words)[:_MAX_TERMS]


def code_terms(query: str) -> list[str]:
    """The words that look like a code: a digit in them, or a sign between letters (``A-17``, ``max_tokens``)."""
    return [term for term in query_terms(query) if _CODE.search(term)]


def fold(text: str) -> str:
    """Lower case without accents, as the index compares words."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def coverage(text: str, weights: Mapping[str, float]) -> float:
    """The weight of the terms that ``text`` holds as whole words or phrases, as a share of all weights: 0 to 1."""
    total = sum(weights.values())
    if not total:
        return 0.0
    words = " " + " ".join(_TOKENS.findall(fold(text))) + " "
    held = sum(weight for term, weight in weights.items() if f" {' '.join(_TOKENS.findall(term))} " in words)
    return held / total


def searchable_values(metadata: Mapping[str, Any]) -> str:
    """The simple values of the metadata as text, so that a passage is found by its code or number too."""
    return " ".join(str(value) for value in metadata.values() if isinstance(value, (str, int, float)))
