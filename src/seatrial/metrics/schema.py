"""JSON Schema for answers and arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial.core.schema import compiled, problems_of
from seatrial.errors import MetricError


class JsonSchemaValidator:
    """A JSON Schema; raises `MetricError` when it is none. References to other documents are refused."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        problem = compiled(schema).problem
        if problem is not None:
            raise MetricError(f"this is no JSON Schema: {problem}")
        self.schema = schema

    def complaints(self, value: object) -> tuple[str, ...]:
        """What the schema has against ``value``, each with its path; empty when it accepts it."""
        return problems_of(self.schema, value)
