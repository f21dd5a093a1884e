"""The words of a question, and how much of them a text holds."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from seatrial.retrieval.base import WordCounts

_MAX_WORDS = 32
_CODE_FACTOR = 5.0
_FEW_CHUNKS = 5
_FEW_SHARE = 0.01
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


def query_words(query: str) -> list[str]:
    """The words worth looking for, each once: common English words only when there are no others.

    A code with signs inside (``A-17``, ``max_tokens``) is one word and is found as a phrase.
    """
    words = list(dict.fromkeys(fold(_EDGES.sub("", word)) for word in query.split()))
    words = [word for word in words if _TOKENS.search(word)]
    return ([word for word in words if word not in _COMMON] or words)[:_MAX_WORDS]


def word_weights(words: WordCounts) -> dict[str, float]:
    """How much each word says: its inverse document frequency as in BM25 (always above 0).

    A word that looks like a code and is in few chunks counts several times: vectors do not tell codes apart.
    """
    few = max(_FEW_CHUNKS, words.total * _FEW_SHARE)
    weights = {}
    for word, count in words.counts.items():
        rarity = math.log(1 + (words.total - count + 0.5) / (count + 0.5))
        weights[word] = rarity * _CODE_FACTOR if _CODE.search(word) and 0 < count <= few else rarity
    return weights


def fold(text: str) -> str:
    """Lower case without accents, as the index compares words."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def plain_words(text: str) -> list[str]:
    """Every run of letters and digits, folded: what all stores and scores mean by a word."""
    return _TOKENS.findall(fold(text))


def coverage(text: str, weights: Mapping[str, float]) -> float:
    """The weight of the words that ``text`` holds, whole and in a row, as a share of all weights: 0 to 1."""
    total = sum(weights.values())
    if not total:
        return 0.0
    held_words = " " + " ".join(plain_words(text)) + " "
    held = sum(weight for word, weight in weights.items() if f" {' '.join(_TOKENS.findall(word))} " in held_words)
    return held / total


def searchable_values(metadata: Mapping[str, Any]) -> str:
    """The simple values of the metadata as text, so that a passage is found by its code or number too."""
    return " ".join(str(value) for value in metadata.values() if isinstance(value, (str, int, float)))
