"""JSON Schema for answers and arguments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from seatrial.errors import MetricError


class JsonSchemaValidator:
    """A compiled JSON Schema; raises `MetricError` when it is none. References to other documents are refused."""

    def __init__(self, schema: Mapping[str, Any] | bool) -> None:
        self.schema = schema
        try:
            self._validator = jsonschema_rs.validator_for(_plain(schema), retriever=_refuse)
        except (jsonschema_rs.ValidationError, ValueError, TypeError) as error:
            raise MetricError(f"this is no JSON Schema: {_first_line(error)}") from error

    def complaints(self, value: object) -> list[str]:
        """Everything that the schema has against ``value``, each with its path; empty when it accepts it."""
        return [_complaint(error) for error in self._validator.iter_errors(value)]


def _plain(schema: Mapping[str, Any] | bool) -> dict[str, Any] | bool:
    return schema if isinstance(schema, bool) else dict(schema)


def _refuse(uri: str) -> Any:
    raise MetricError(f"{uri} is outside the schema, and nothing is fetched")


def _complaint(error: jsonschema_rs.ValidationError) -> str:
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.instance_path)
    return f"${path}: {error.message}"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
