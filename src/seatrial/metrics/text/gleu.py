"""Google BLEU by nltk."""

from __future__ import annotations

from seatrial.metrics.base import Measurement
from seatrial.metrics.text.extra import from_extra_metrics
from seatrial.metrics.text.pair import PairMetric
from seatrial.metrics.text.words import treebank_words

with from_extra_metrics("gleu"):
    from nltk.translate.gleu_score import sentence_gleu


class Gleu(PairMetric):
    """The smaller of precision and recall over n-grams of 1 to 4 words, 0 to 1.

    Source: Wu et al. 2016, section 4.3.
    """

    name = "gleu"

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """0 to 1."""
        words = treebank_words(answer)
        if not words:
            return Measurement(0.0, "the answer is empty")
        return Measurement(float(sentence_gleu([treebank_words(ground_truth)], words)))
