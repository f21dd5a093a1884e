"""Limits on what a trial may take."""

from __future__ import annotations

import math

from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.checks.answer import verdict


class MaxLatencyMs:
    """The trial took at most so many milliseconds of wall-clock time."""

    name = "max_latency_ms"

    def __init__(self, *, value: float) -> None:
        self._limit_ms = _limit(self.name, value)

    async def measure(self, evidence: Evidence) -> Measurement:
        """1 or 0; raises `MetricError` when the time is unknown."""
        if evidence.duration_s is None:
            raise MetricError("the time that the trial took is unknown")
        took_ms = evidence.duration_s * 1000
        reason = f"took {took_ms:.0f} ms, allowed are {self._limit_ms:g} ms"
        return Measurement(verdict(took_ms <= self._limit_ms, "").value, reason, {"latency_ms": took_ms})


class MaxCostUsd:
    """The trial cost at most so many US dollars. An unknown cost is an error, never 0."""

    name = "max_cost_usd"

    def __init__(self, *, value: float) -> None:
        self._limit_usd = _limit(self.name, value)

    async def measure(self, evidence: Evidence) -> Measurement:
        """1 or 0; raises `MetricError` when the cost is unknown."""
        if evidence.cost_usd is None:
            raise MetricError(
                "the cost of the trial is unknown", hint="give the model's prices in the agent file, or drop the check"
            )
        reason = f"cost {evidence.cost_usd:.6g} USD, allowed are {self._limit_usd:g} USD"
        is_right = evidence.cost_usd <= self._limit_usd + 1e-12
        return Measurement(verdict(is_right, "").value, reason, {"cost_usd": evidence.cost_usd})


def _limit(check: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise MetricError(f"{check} takes a number from 0 upwards, not {value!r}")
    return float(value)
