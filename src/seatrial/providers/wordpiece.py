"""BERT's WordPiece tokenizer (uncased): Devlin et al. 2019, as the ``tokenizers`` library runs it for this vocabulary.

One difference is meant: ``[SEP]`` and its like inside a text are text, never control tokens.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from importlib.resources import files

_LONGEST_WORD = 100
_BLANK = ("Zs", "Zl", "Zp")
_CONTROL = ("Cc", "Cf", "Co", "Cs")
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """Splits text into the pieces of a vocabulary. Immutable, safe to share between threads."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._ids = dict(vocabulary)
        self._unknown = self._ids["[UNK]"]
        self._first = self._ids["[CLS]"]
        self._last = self._ids["[SEP]"]

    @classmethod
    def bert_uncased(cls) -> WordPiece:
        """The tokenizer of all-MiniLM-L6-v2, with the 30,522 pieces of bert-base-uncased."""
        lines = files("seatrial.providers").joinpath("data/minilm_vocab.txt").read_text(encoding="utf-8")
        return cls({piece: number for number, piece in enumerate(lines.splitlines())})

    def encode(self, text: str, max_tokens: int) -> list[int]:
        """Token ids between ``[CLS]`` and ``[SEP]``, cut so that all together are at most ``max_tokens``."""
        return [self._first, *self.pieces(text)[: max_tokens - 2], self._last]

    def pieces(self, text: str) -> list[int]:
        """The ids of the whole text, without start and end marks."""
        return [piece for word in _words(_normalized(text)) for piece in self._split(word)]

    def _split(self, word: str) -> list[int]:
        """The longest known pieces from left to right; one unknown token when a part is not in the vocabulary."""
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            end = len(word)
            prefix = "##" if start else ""
            while end > start and prefix + word[start:end] not in self._ids:
                end -= 1
            if end == start:
                return [self._unknown]
            found.append(self._ids[prefix + word[start:end]])
            start = end
        return found


def _normalized(text: str) -> str:
    """Lower case without accents and control characters; every white space a blank; blanks around CJK characters."""
    cleaned = "".join(_cleaned(character) for character in text)
    decomposed = unicodedata.normalize("NFD", cleaned)
    return "".join(character.lower() for character in decomposed if unicodedata.category(character) != "Mn")


def _cleaned(character: str) -> str:
    category = unicodedata.category(character)
    if character in "\t\n\r" or category in _BLANK:
        return " "
    if character == "\ufffd" or category in _CONTROL:
        return ""
    return f" {character} " if _is_cjk(ord(character)) else character


def _is_cjk(code: int) -> bool:
    return code >= 0x3400 and any(low <= code <= high for low, high in _CJK)


def _words(text: str) -> Iterator[str]:
    """Runs of letters and the like; each punctuation mark is a word of its own."""
    for run in text.split():
        start = 0
        for place, character in enumerate(run):
            if _is_punctuation(character):
                if place > start:
                    yield run[start:place]
                yield character
                start = place + 1
        if start < len(run):
            yield run[start:]


def _is_punctuation(character: str) -> bool:
    if character.isalnum():
        return False
    code = ord(character)
    return 33 <= code <= 126 or unicodedata.category(character).startswith("P")
