"""The opposite of a check."""

from __future__ import annotations

from seatrial.metrics.base import Evidence, Measurement, Metric
from seatrial.metrics.checks.answer import EMPTY


class Negated:
    """1 where the check gives 0 and the reverse (``not:``). An empty answer stays wrong: nothing was said."""

    def __init__(self, check: Metric) -> None:
        self.name = f"not {check.name}"
        self._check = check

    async def measure(self, evidence: Evidence) -> Measurement:
        """1 minus the check's value."""
        if evidence.is_answer_empty:
            return EMPTY
        found = await self._check.measure(evidence)
        if found.value is None:
            return found
        reason = found.reason if found.value < 1 else f"{self._check.name} holds: {found.reason}".removesuffix(": ")
        return Measurement(1 - found.value, reason, found.details)
