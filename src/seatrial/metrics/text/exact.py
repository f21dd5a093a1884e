"""Exact match after SQuAD normalisation."""

from __future__ import annotations

from seatrial.metrics.base import Measurement
from seatrial.metrics.text.pair import PairMetric
from seatrial.metrics.text.squad import squad_tokens, truth_tokens


class Exact(PairMetric):
    """1 when answer and ground truth have the same words in the same order, else 0."""

    name = "exact"

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """1 or 0."""
        is_same = squad_tokens(answer) == truth_tokens(self.name, ground_truth)
        return Measurement(float(is_same), "" if is_same else "the normalised texts differ")
