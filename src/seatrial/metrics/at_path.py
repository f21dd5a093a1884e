"""A metric of a part of a JSON answer."""

from __future__ import annotations

import json

import msgspec

from seatrial.core.text import shows_nothing
from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement, Metric
from seatrial.metrics.json_path import compile_path
from seatrial.metrics.json_values import read_answer


class AtPath:
    """Gives a metric the value at ``path`` of a JSON answer in place of the whole answer (``response_path``).

    An answer that is no JSON, or has no value or several there, counts as an empty answer; where an
    empty answer would be right, it is an error.
    """

    def __init__(self, metric: Metric, *, path: str) -> None:
        self.name = metric.name
        self._metric = metric
        self._path = compile_path(path)

    async def measure(self, evidence: Evidence) -> Measurement:
        """What the metric says of that part; the reason tells when there was none.

        Raises `MetricError` when there was none and nothing was asked for: a missing value is no empty one.
        """
        part, fault = self._part_of(evidence.output)
        found = await self._metric.measure(msgspec.structs.replace(evidence, output=part))
        if not fault:
            return found
        if found.is_empty_right or (evidence.ground_truth is not None and shows_nothing(evidence.ground_truth)):
            raise MetricError(f"there is nothing to compare: {fault}")
        return msgspec.structs.replace(found, reason=f"{fault}; {found.reason}".removesuffix("; "))

    def _part_of(self, answer: str) -> tuple[str, str]:
        """The text to measure, and why it is empty."""
        try:
            found = self._path.find(read_answer(answer))
        except MetricError as error:
            return "", error.message
        if len(found) != 1:
            return "", f"{self._path.text} leads to {len(found)} values, one is needed"
        return found[0] if isinstance(found[0], str) else json.dumps(found[0], ensure_ascii=False), ""
