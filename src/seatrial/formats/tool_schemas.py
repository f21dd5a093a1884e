"""A tool's parameters in the form that every API takes; the tool's own schema stays as it is.

What the APIs refuse, and with it the whole request: a root that is not plainly an object, or that has ``anyOf``,
``oneOf`` or ``allOf`` (OpenAI and Anthropic), an object without ``properties`` and an array without ``items`` (OpenAI),
a reference to another document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_COMBINED = ("allOf", "anyOf", "oneOf")
_NOT_AT_THE_ROOT = frozenset((*_COMBINED, "not", "if", "then", "else", "enum", "const", "$ref"))
_HOLDERS = ("properties", "$defs", "definitions", "patternProperties")
_DEEPEST = 100

Part = tuple[dict[str, Any], list[str]]
_NOTHING: Part = ({}, [])


def offered_parameters(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema itself where every API takes it, else the nearest one that they take.

    Alternatives at the root become one object that has the parameters of all, and needs what all of them need.
    """
    rooted = schema if _is_plain_root(schema) else _flattened(schema)
    completed: dict[str, Any] = _completed(rooted, 0)
    return completed


def _is_plain_root(schema: Mapping[str, Any]) -> bool:
    return (
        schema.get("type") == "object"
        and isinstance(schema.get("properties"), dict)
        and _NOT_AT_THE_ROOT.isdisjoint(schema)
        and _needs_only_what_it_has(schema)
    )


def _needs_only_what_it_has(schema: Mapping[str, Any]) -> bool:
    required = schema.get("required", [])
    return isinstance(required, list) and all(
        isinstance(name, str) and name in schema["properties"] for name in required
    )


def _flattened(schema: dict[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in schema.items() if key not in _NOT_AT_THE_ROOT}
    properties, needed = _merged(schema, _References(schema), 0)
    flat = {**own, "type": "object", "properties": properties}
    required = [name for name in needed if name in properties]
    flat.pop("required", None)
    return {**flat, "required": required} if required else flat


class _References:
    """What the references within a schema come to, each looked at once: a schema may lead back to itself."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._known: dict[str, Part] = {}

    def part(self, reference: Any, depth: int) -> Part:
        """Properties and required names of the schema that it leads to."""
        if not isinstance(reference, str):
            return _NOTHING
        if reference not in self._known:
            self._known[reference] = _NOTHING
            self._known[reference] = _merged(_referred(reference, self._root), self, depth + 1)
        return self._known[reference]


def _merged(schema: Any, references: _References, depth: int) -> Part:
    """Properties and required names of a schema and of all that it is combined from."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return _NOTHING
    parts = [_own(schema), references.part(schema.get("$ref"), depth)]
    parts += [_merged(part, references, depth + 1) for part in _listed(schema.get("allOf"))]
    for key in ("anyOf", "oneOf"):
        alternatives = [_merged(part, references, depth + 1) for part in _listed(schema.get(key))]
        if alternatives:
            parts.append(_either(alternatives))
    return _all_properties(parts), list(dict.fromkeys(name for _, names in parts for name in names))


def _own(schema: Mapping[str, Any]) -> Part:
    properties, required = schema.get("properties"), schema.get("required")
    return (
        properties if isinstance(properties, dict) else {},
        [name for name in required if isinstance(name, str)] if isinstance(required, list) else [],
    )


def _either(alternatives: Sequence[Part]) -> Part:
    """What one of several may have, and what each of them needs."""
    _, first = alternatives[0]
    return _all_properties(alternatives), [name for name in first if all(name in needs for _, needs in alternatives)]


def _all_properties(parts: Sequence[Part]) -> dict[str, Any]:
    """The first of each name."""
    found: dict[str, Any] = {}
    for properties, _ in parts:
        found |= {name: value for name, value in properties.items() if name not in found}
    return found


def _referred(reference: Any, root: Mapping[str, Any]) -> Any:
    """What a reference within the schema leads to; nothing is ever fetched."""
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    place: Any = root
    for step in reference[2:].split("/"):
        place = place.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(place, dict) else None
    return place


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _completed(schema: Any, depth: int) -> Any:
    """With the ``items`` and ``properties`` that it lacks and without references to elsewhere; itself when it is so."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return schema
    if _leads_outside(schema.get("$ref")):
        schema = {key: value for key, value in schema.items() if key != "$ref"}
    changed: dict[str, Any] = {}
    kind = schema.get("type")
    if kind == "array" and "items" not in schema and "prefixItems" not in schema:
        changed["items"] = {}
    if kind == "object" and depth == 0 and "properties" not in schema:
        changed["properties"] = {}
    for key, value in schema.items():
        completed = _completed_under(key, value, depth + 1)
        if completed is not value:
            changed[key] = completed
    return {**schema, **changed} if changed else schema


def _leads_outside(reference: Any) -> bool:
    return isinstance(reference, str) and not reference.startswith("#")


def _completed_under(key: str, value: Any, depth: int) -> Any:
    if key in _HOLDERS and isinstance(value, dict):
        inner = {name: _completed(item, depth) for name, item in value.items()}
        return inner if any(inner[name] is not value[name] for name in value) else value
    if key in _COMBINED and isinstance(value, list):
        listed = [_completed(item, depth) for item in value]
        return listed if any(new is not old for new, old in zip(listed, value, strict=True)) else value
    if key in ("items", "additionalProperties"):
        return _completed(value, depth)
    return value
