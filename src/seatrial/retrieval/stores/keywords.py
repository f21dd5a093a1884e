"""From a person's words to a query that FTS5 reads, and how much of it a text holds."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_MAX_TERMS = 32
_EDGES = re.compile(r"^\W+|\W+$")
_TOKENS = re.compile(r"[^\W_]+")
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


def fts_expression(term: str) -> str:
    """The term as an FTS5 string: quoted, so that no sign in it is an operator; ``A-12`` is the phrase ``A 12``."""
    return '"' + term.replace('"', '""') + '"'


def fold(text: str) -> str:
    """Lower case without accents, as the index compares words."""
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
