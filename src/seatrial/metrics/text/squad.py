"""The SQuAD normalisation of answers.

Source: official evaluation script of SQuAD 1.1, Rajpurkar et al. 2016: lower case, without ASCII punctuation, without
the articles a, an, the, white space collapsed. Text is brought to Unicode form NFC first.
"""

from __future__ import annotations

import re
import string
import unicodedata

from seatrial.errors import MetricError

_ARTICLE_WORDS = frozenset({"a", "an", "the"})
_ARTICLES = re.compile(r"\b(a|an|the)\b", re.UNICODE)
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


def squad_tokens(text: str) -> list[str]:
    """The words that count."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    plain = text.lower().translate(_WITHOUT_PUNCTUATION)
    if plain.isascii() and plain.isprintable():  # letters, digits and spaces are left: an article is a word of its own
        return [word for word in plain.split() if word not in _ARTICLE_WORDS]
    return _ARTICLES.sub(" ", plain).split()


def truth_tokens(metric: str, ground_truth: str) -> list[str]:
    """The words of a ground truth; raises `MetricError` when none counts, for then an empty answer would be right."""
    tokens = squad_tokens(ground_truth)
    if not tokens:
        raise MetricError(
            f"{metric} finds no word in the ground truth {ground_truth!r}: articles and punctuation do not count",
            hint="use the metric `equality` for such a text",
        )
    return tokens
