"""ROUGE by rouge-score."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

from seatrial.errors import MetricError
from seatrial.metrics.base import Measurement
from seatrial.metrics.text.extra import from_extra_metrics
from seatrial.metrics.text.pair import PairMetric

with from_extra_metrics("rouge"):
    from rouge_score.rouge_scorer import RougeScorer
    from rouge_score.tokenizers import DefaultTokenizer

RougeVariant = Literal["rouge1", "rouge2", "rougeL", "rougeLsum"]
_VARIANTS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
_WORD = re.compile(r"\w+")


class Rouge(PairMetric):
    """ROUGE F score of one variant, 0 to 1, as Google's rouge-score computes it.

    ``stem`` applies Porter's stemmer to words of more than three letters. rouge-score keeps the letters a-z and digits
    only; ``tokenizer="unicode"`` keeps the words of every script (and single characters where a script has no spaces),
    which is no longer the reference value and therefore named in the score.

    Source: Lin 2004.
    """

    def __init__(
        self,
        *,
        variant: RougeVariant = "rougeL",
        stem: bool = False,
        tokenizer: Literal["reference", "unicode"] = "reference",
    ) -> None:
        if variant not in _VARIANTS:
            raise MetricError(f"rouge has no variant {variant!r}", hint=f"one of {', '.join(_VARIANTS)}")
        if tokenizer not in ("reference", "unicode"):
            raise MetricError(f"rouge has no tokenizer {tokenizer!r}", hint="reference or unicode")
        if stem and tokenizer == "unicode":
            raise MetricError("rouge stems English words only", hint="leave out stem or tokenizer: unicode")
        shown = "rouge" if variant == "rougeL" else variant
        self.name = shown if tokenizer == "reference" else f"{shown}(tokenizer=unicode)"
        self._variant: str = variant
        self._tokenizer = DefaultTokenizer(use_stemmer=stem) if tokenizer == "reference" else _UnicodeTokenizer()
        self._scorer = RougeScorer([variant], tokenizer=self._tokenizer)

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """The F score; details hold the variant, precision and recall."""
        if not self._tokenizer.tokenize(ground_truth):
            raise MetricError(
                f"rouge finds no word in the ground truth {ground_truth!r}: it keeps the letters a-z and digits only",
                hint="set `tokenizer: unicode` for texts in other scripts",
            )
        found = self._scorer.score(ground_truth, answer)[self._variant]
        details = {"variant": self._variant, "precision": float(found.precision), "recall": float(found.recall)}
        return Measurement(float(found.fmeasure), details=details)


class _UnicodeTokenizer:
    def tokenize(self, text: str) -> list[str]:
        plain = unicodedata.normalize("NFC", text).casefold()
        return [token for word in _WORD.findall(plain) for token in _split_unspaced(word)]


def _split_unspaced(word: str) -> list[str]:
    """Single characters where a script is written without spaces, else the word."""
    return list(word) if any(_is_unspaced(character) for character in word) else [word]


def _is_unspaced(character: str) -> bool:
    return character >= "\u0e00" and unicodedata.name(character, "").startswith(_UNSPACED)


_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")
