"""The Treebank tokenizer as nltk has it, which needs no data files.

``nltk.word_tokenize`` splits into sentences first and needs a downloaded model for that. The tokens are the same for
one sentence; in longer texts a full stop inside stays with its word here.
"""

from __future__ import annotations

from seatrial.metrics.text.extra import from_extra_metrics

with from_extra_metrics("of nltk"):
    from nltk.tokenize.destructive import NLTKWordTokenizer

_TOKENIZER = NLTKWordTokenizer()


def treebank_words(text: str) -> list[str]:
    """The tokens of ``text`` in order."""
    words: list[str] = _TOKENIZER.tokenize(text)
    return words
