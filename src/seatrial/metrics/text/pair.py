"""What all metrics of an answer and a ground truth share."""

from __future__ import annotations

from abc import ABC, abstractmethod

from seatrial.core.threads import in_thread
from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement

INLINE_CHARACTER_PAIRS = 1_000_000


class PairMetric(ABC):
    """A metric of two texts. Long texts are compared in a thread, because most of these algorithms are quadratic."""

    name: str

    @abstractmethod
    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """The value for one pair. Must be safe to call from several threads at once."""

    async def measure(self, evidence: Evidence) -> Measurement:
        """The value for the trial's answer; raises `MetricError` when the case has no ground truth."""
        truth = evidence.ground_truth
        if truth is None:
            raise MetricError(f"{self.name} compares with the ground truth, and the case has none")
        if len(evidence.output) * len(truth) > INLINE_CHARACTER_PAIRS:
            return await in_thread(self.compare, evidence.output, truth)
        return self.compare(evidence.output, truth)
