"""JSON Schemas of parameters: from types, from a docstring's words, and from an agent file's ``parameters:``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import PydanticSerializationError, to_jsonable_python
from pydantic_core.core_schema import CoreSchema

from seatrial.tools.docstring import read_docstring

Schema = dict[str, Any]

_TYPE_NAMES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "array": "array",
    "object": "object",
    "null": "null",
}
_REF = "#/$defs/"
_ONE_SCHEMA = {"items", "additionalProperties", "contains", "not", "propertyNames", "if", "then", "else"}
_SCHEMA_LISTS = {"anyOf", "allOf", "oneOf", "prefixItems"}
_SCHEMA_MAPS = {"properties", "patternProperties", "dependentSchemas", "$defs"}
_NOISE = {"title", "discriminator"}


class _Generator(GenerateJsonSchema):
    """Parts without a JSON form accept anything; defaults that JSON cannot hold are left out, without a word."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 (the base class's form)

    def handle_invalid_for_json_schema(self, schema: CoreSchema, error_info: str) -> JsonSchemaValue:  # noqa: ARG002
        return {}


def schemas_of_types(adapters: Mapping[str, TypeAdapter[Any]]) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """A schema per name, and the definitions that they share: only recursive types need one, others stand in place."""
    if not adapters:
        return {}, {}
    inputs = [(name, "validation", adapter) for name, adapter in adapters.items()]
    raw, shared = TypeAdapter.json_schemas(inputs, schema_generator=_Generator)  # type: ignore[arg-type]
    definitions = shared.get("$defs", {})
    recursive = {name for name in definitions if name in _reachable(name, definitions)}
    schemas = {name: _tidy(schema, definitions, recursive) for (name, _mode), schema in raw.items()}
    return schemas, {name: _tidy(definitions[name], definitions, recursive) for name in sorted(recursive)}


def schema_of_doc_type(text: str) -> Schema:
    """The schema of a type as docstrings write it (``int``, ``str, optional``, ``list of str``); {} when unsure."""
    words = re.sub(r",?\s*(optional|default\b.*)$", "", text.strip(), flags=re.I).strip()
    element = re.fullmatch(r"(?:list|array)(?: of |\[)(\w+?)s?\]?", words, flags=re.I)
    if element:
        items = schema_of_doc_type(element[1])
        return {"type": "array", "items": items} if items else {"type": "array"}
    name = _TYPE_NAMES.get(words.lower())
    return {"type": name} if name else {}


def schema_of_default(value: Any) -> Schema:
    """``{"default": ...}`` where JSON can say the default, else {}."""
    if isinstance(value, float) and not math.isfinite(value):
        return {}
    try:
        default = to_jsonable_python(value)
    except (PydanticSerializationError, ValueError):
        return {}
    return {"default": default}


def declared_schema(parameters: Mapping[str, Any], optional: frozenset[str]) -> Schema:
    """The schema that an agent file declares: names with a type and a description each, or a whole object schema.

    Required are the names without ``default`` and without ``required: false``, unless the function has a default of
    its own for them (``optional``).
    """
    if parameters.get("type") == "object" and isinstance(parameters.get("properties"), Mapping):
        return _renamed(parameters)
    properties: Schema = {}
    required: list[str] = []
    for name, declared in parameters.items():
        entry = {"type": declared} if isinstance(declared, str) else dict(declared or {})
        flag = entry.pop("required", None) if not isinstance(entry.get("required"), list) else None
        has_default = "default" in entry or name in optional
        if flag if flag is not None else not has_default:
            required.append(name)
        properties[name] = _renamed(entry)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _renamed(schema: Mapping[str, Any]) -> Schema:
    """The schema with Python's type names turned into JSON Schema's, at every depth."""
    renamed = dict(_mapped(schema, _renamed))
    kind = renamed.get("type")
    if isinstance(kind, str):
        renamed["type"] = _TYPE_NAMES.get(kind, kind)
    elif isinstance(kind, list):
        renamed["type"] = [_TYPE_NAMES.get(name, name) for name in kind]
    return renamed


def _tidy(schema: Mapping[str, Any], definitions: Mapping[str, Any], recursive: set[str]) -> Schema:
    """Without titles, with every reference to a plain type replaced by the type itself."""
    name = str(schema.get("$ref", "")).removeprefix(_REF)
    if name in definitions and name not in recursive:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return _tidy({**definitions[name], **beside}, definitions, recursive)
    kept = {key: value for key, value in schema.items() if key not in _NOISE}
    return _with_described_fields(dict(_mapped(kept, lambda part: _tidy(part, definitions, recursive))))


def _with_described_fields(schema: Schema) -> Schema:
    """The schema with what a class's docstring says of its fields at the fields themselves."""
    properties, text = schema.get("properties"), schema.get("description")
    if not isinstance(properties, dict) or not isinstance(text, str):
        return schema
    docs = read_docstring(text)
    if not docs.parameters:
        return schema
    for name, doc in docs.parameters.items():
        field = properties.get(name)
        if isinstance(field, dict) and doc.description and "$ref" not in field:
            properties[name] = {"description": doc.description, **field}
    rest = {key: value for key, value in schema.items() if key != "description"}
    return {"description": docs.description, **rest} if docs.description else rest


def _mapped(schema: Mapping[str, Any], change: Any) -> Iterator[tuple[str, Any]]:
    """The schema's entries with ``change`` applied to each schema directly inside."""
    for key, value in schema.items():
        if key in _ONE_SCHEMA and isinstance(value, Mapping):
            yield key, change(value)
        elif key in _SCHEMA_LISTS and isinstance(value, list):
            yield key, [change(part) if isinstance(part, Mapping) else part for part in value]
        elif key in _SCHEMA_MAPS and isinstance(value, Mapping):
            yield key, {name: change(part) if isinstance(part, Mapping) else part for name, part in value.items()}
        else:
            yield key, value


def _reachable(start: str, definitions: Mapping[str, Any]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for name in _references(definitions[waiting.pop()]):
            if name not in seen and name in definitions:
                seen.add(name)
                waiting.append(name)
    return seen


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        reference = value.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix(_REF)
        for part in value.values():
            yield from _references(part)
    elif isinstance(value, list):
        for part in value:
            yield from _references(part)
