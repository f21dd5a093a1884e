"""Sentence BLEU by sacrebleu."""

from __future__ import annotations

from seatrial.metrics.base import Measurement
from seatrial.metrics.text.extra import from_extra_metrics
from seatrial.metrics.text.pair import PairMetric

with from_extra_metrics("bleu"):
    from sacrebleu.metrics.bleu import BLEU


class Bleu(PairMetric):
    """sacrebleu's sentence BLEU with effective order and exponential smoothing, 0 to 1.

    Source: Papineni et al. 2002; Post 2018 (sacrebleu), smoothing method 3 of Chen and Cherry 2014.
    """

    name = "bleu"

    def __init__(self, *, lowercase: bool = False) -> None:
        self._bleu = BLEU(lowercase=lowercase, effective_order=True, smooth_method="exp")

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """0 to 1; details hold the n-gram precisions (0 to 1) and the brevity penalty."""
        found = self._bleu.sentence_score(answer, [ground_truth])
        details = {
            "precisions": [precision / 100 for precision in found.precisions],
            "brevity_penalty": found.bp,
        }
        return Measurement(found.score / 100, details=details)
