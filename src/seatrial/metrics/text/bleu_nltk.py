"""Sentence BLEU as nltk and tools built on it compute it."""

from __future__ import annotations

from seatrial.metrics.base import Measurement
from seatrial.metrics.text.extra import from_extra_metrics
from seatrial.metrics.text.pair import PairMetric
from seatrial.metrics.text.words import treebank_words

with from_extra_metrics("bleu_nltk"):
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu


class BleuNltk(PairMetric):
    """nltk's sentence BLEU with smoothing method 4, 0 to 1; kept for comparison with other tools' BLEU.

    Source: Chen and Cherry 2014.
    """

    name = "bleu_nltk"

    def __init__(self) -> None:
        self._smoothing = SmoothingFunction().method4

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """0 to 1."""
        words = treebank_words(answer)
        if not words:
            return Measurement(0.0, "the answer is empty")
        value = sentence_bleu([treebank_words(ground_truth)], words, smoothing_function=self._smoothing)
        return Measurement(float(value))
