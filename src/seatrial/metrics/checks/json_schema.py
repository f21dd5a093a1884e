"""A JSON Schema that the answer must meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.checks.answer import EMPTY, excerpt, verdict
from seatrial.metrics.json_values import read_answer
from seatrial.metrics.schema import JsonSchemaValidator

_SHOWN = 3


class JsonSchema:
    """The answer is JSON, in a Markdown fence or not, and the schema accepts it."""

    name = "json_schema"

    def __init__(self, *, value: Mapping[str, Any]) -> None:
        self._validator = JsonSchemaValidator(value)

    async def measure(self, evidence: Evidence) -> Measurement:
        """1 or 0; the details list everything that the schema has against the answer."""
        if evidence.is_answer_empty:
            return EMPTY
        try:
            value = read_answer(evidence.output)
        except MetricError as error:
            return Measurement(0.0, f"{error.message}: {excerpt(evidence)}")
        complaints = self._validator.complaints(value)
        more = f" and {len(complaints) - _SHOWN} more" if len(complaints) > _SHOWN else ""
        found = verdict(not complaints, "; ".join(complaints[:_SHOWN]) + more)
        return Measurement(found.value, found.reason, list(complaints) or None)
