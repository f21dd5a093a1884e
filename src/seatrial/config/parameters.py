"""``parameters:`` of function and prompt tools, and the JSON Schema they stand for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import Field

from seatrial.config.entity import Entity, Problem
from seatrial.config.fields import FreeBlock, FreeValue, Number, Text, Whole
from seatrial.config.names import did_you_mean

PARAMETER_TYPES = (
    "str",
    "int",
    "float",
    "bool",
    "array",
    "object",
    "string",
    "integer",
    "number",
    "boolean",
    "list",
    "dict",
    "null",
)
_JSON_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
}


class ParameterConfig(Entity):
    """One parameter: a type and a description, or any JSON Schema."""

    called: ClassVar[str] = "a parameter"
    example: ClassVar[str] = "{type: str, description: ...}"

    type: FreeValue = Field(
        default=None, description="str, int, float, bool, array or object; JSON Schema's names too."
    )
    description: Text | None = Field(default=None, description="What it is, for the model.")
    required: FreeValue = Field(
        default=None,
        description="Whether it must be given: true unless there is a default. For an object, its needed keys.",
    )
    default: FreeValue = Field(default=None, description="The value when it is not given.")
    enum: FreeValue = Field(default=None, description="The allowed values.")
    const: FreeValue = Field(default=None, description="The one allowed value.")
    items: FreeValue = Field(default=None, description="The schema of an array's items.")
    properties: FreeBlock | None = Field(default=None, description="The schemas of an object's keys.")
    additionalProperties: FreeValue = None  # noqa: N815
    title: Text | None = None
    format: Text | None = None
    pattern: Text | None = None
    examples: FreeValue = None
    minimum: Number | None = None
    maximum: Number | None = None
    exclusiveMinimum: Number | None = None  # noqa: N815
    exclusiveMaximum: Number | None = None  # noqa: N815
    multipleOf: Number | None = None  # noqa: N815
    minLength: Whole | None = None  # noqa: N815
    maxLength: Whole | None = None  # noqa: N815
    minItems: Whole | None = None  # noqa: N815
    maxItems: Whole | None = None  # noqa: N815
    uniqueItems: FreeValue = None  # noqa: N815
    anyOf: FreeValue = None  # noqa: N815
    oneOf: FreeValue = None  # noqa: N815
    allOf: FreeValue = None  # noqa: N815

    @classmethod
    def rules(cls, values: Mapping[str, Any]) -> Iterator[Problem]:
        """Types are known ones."""
        written = values.get("type")
        for name in written if isinstance(written, list | tuple) else [written]:
            if name is not None and name not in PARAMETER_TYPES:
                shown = str(name)[:40] if isinstance(name, str) else "this"
                yield Problem("ST406", f"`type` cannot be `{shown}`", ("type",), did_you_mean(shown, PARAMETER_TYPES))

    @property
    def is_required(self) -> bool:
        """Whether a call must give it."""
        if isinstance(self.required, bool):
            return self.required
        return "default" not in self.model_fields_set

    def json_schema(self) -> dict[str, Any]:
        """The parameter as JSON Schema."""
        schema = {name: getattr(self, name) for name in type(self).model_fields if name in self.model_fields_set}
        if isinstance(schema.get("required"), bool):
            del schema["required"]
        made: dict[str, Any] = _with_json_types(schema)
        return made


def parameters_schema(parameters: Mapping[str, ParameterConfig]) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": {name: parameter.json_schema() for name, parameter in parameters.items()},
        "required": [name for name, parameter in parameters.items() if parameter.is_required],
        "additionalProperties": False,
    }


def _with_json_types(schema: Any) -> Any:
    """The schema, Python's names of types in it replaced by JSON Schema's."""
    if isinstance(schema, list):
        return [_with_json_types(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = dict(schema)
    kind = made.get("type")
    if isinstance(kind, str):
        made["type"] = _JSON_TYPES.get(kind, kind)
    elif isinstance(kind, list | tuple):
        made["type"] = [_JSON_TYPES.get(item, item) for item in kind]
    for key in ("items", "additionalProperties", "anyOf", "oneOf", "allOf"):
        if key in made:
            made[key] = _with_json_types(made[key])
    if isinstance(made.get("properties"), dict):
        made["properties"] = {name: _with_json_types(item) for name, item in made["properties"].items()}
    return made
