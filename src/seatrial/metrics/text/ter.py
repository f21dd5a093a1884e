"""Translation edit rate by sacrebleu."""

from __future__ import annotations

from seatrial.metrics.base import Measurement
from seatrial.metrics.text.extra import from_extra_metrics
from seatrial.metrics.text.pair import PairMetric

with from_extra_metrics("ter"):
    from sacrebleu.metrics.ter import TER


class Ter(PairMetric):
    """Edits, shifts included, per word of the ground truth: 0 is the same text, more than 1 is possible.

    Source: Snover et al. 2006.
    """

    name = "ter"

    def __init__(self) -> None:
        self._ter = TER()

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """0 and up; details hold the counted edits and the length of the ground truth in words."""
        found = self._ter.sentence_score(answer, [ground_truth])
        details = {"edits": found.num_edits, "reference_words": found.ref_length}
        return Measurement(found.score / 100, details=details)
