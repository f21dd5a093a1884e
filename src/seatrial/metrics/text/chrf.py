"""chrF2 by sacrebleu."""

from __future__ import annotations

from seatrial.metrics.base import Measurement
from seatrial.metrics.text.extra import from_extra_metrics
from seatrial.metrics.text.pair import PairMetric

with from_extra_metrics("chrf"):
    from sacrebleu.metrics.chrf import CHRF


class Chrf(PairMetric):
    """Character n-gram F score with recall counted twice (chrF2), 0 to 1; ``word_order=2`` gives chrF++.

    Source: Popović 2015, 2017.
    """

    name = "chrf"

    def __init__(self, *, word_order: int = 0) -> None:
        self._chrf = CHRF(word_order=word_order)
        if word_order:
            self.name = f"chrf(word_order={word_order})"

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """0 to 1."""
        return Measurement(self._chrf.sentence_score(answer, [ground_truth]).score / 100)
