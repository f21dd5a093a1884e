"""Word error rate, by rapidfuzz."""

from __future__ import annotations

from seatrial.errors import MetricError
from seatrial.metrics.base import Measurement
from seatrial.metrics.text.extra import from_extra_metrics
from seatrial.metrics.text.pair import PairMetric

with from_extra_metrics("wer"):
    from rapidfuzz.distance import Levenshtein as Edits


class Wer(PairMetric):
    """Words to insert, delete or replace per word of the ground truth; 0 is the same text, more than 1 is possible.

    Words are split at white space and compared as they are.
    """

    name = "wer"

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """0 and up; details hold the edits and the length of the ground truth in words."""
        wanted = ground_truth.split()
        if not wanted:
            raise MetricError("wer needs a ground truth with at least one word")
        edits = Edits.distance(answer.split(), wanted)
        return Measurement(edits / len(wanted), details={"edits": edits, "reference_words": len(wanted)})
