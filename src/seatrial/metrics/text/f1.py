"""Token F1 as SQuAD defines it."""

from __future__ import annotations

from collections.abc import Sequence

from seatrial.metrics.base import Measurement
from seatrial.metrics.text.pair import PairMetric
from seatrial.metrics.text.squad import squad_tokens, truth_tokens


class F1(PairMetric):
    """Harmonic mean of precision and recall over the bags of normalised words.

    Source: SQuAD 1.1 evaluation script, Rajpurkar et al. 2016.
    """

    name = "f1_score"

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """0 to 1; details hold precision and recall."""
        given = squad_tokens(answer)
        wanted = truth_tokens(self.name, ground_truth)
        shared = _shared(given, wanted)
        if not shared:
            return Measurement(0.0, "no word in common", {"precision": 0.0, "recall": 0.0})
        precision, recall = shared / len(given), shared / len(wanted)
        value = 2 * precision * recall / (precision + recall)
        reason = f"{shared} of {len(wanted)} words of the ground truth, {len(given)} words in the answer"
        return Measurement(value, reason, {"precision": precision, "recall": recall})


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words the two bags have in common, each as often as it stands in both."""
    left: dict[str, int] = {}
    for word in one:
        left[word] = left.get(word, 0) + 1
    count = 0
    for word in other:
        if left.get(word):
            left[word] -= 1
            count += 1
    return count
