"""A tool's parameters in the form that every API takes; the tool's own schema stays as it is.

What the APIs refuse, and with it the whole request: a root that is not plainly an object, or that has ``anyOf``,
``oneOf`` or ``allOf`` (OpenAI and Anthropic), an object without ``properties`` and an array without ``items`` (OpenAI).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

_COMBINED = ("allOf", "anyOf", "oneOf")
_NOT_AT_THE_ROOT = frozenset((*_COMBINED, "not", "if", "then", "else", "enum", "const", "$ref"))
_HOLDERS = ("properties", "$defs", "definitions", "patternProperties")
_DEEPEST = 100


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
    )


def _flattened(schema: dict[str, Any]) -> dict[str, Any]:
    own = {key: value for key, value in schema.items() if key not in _NOT_AT_THE_ROOT}
    properties: dict[str, Any] = {}
    needed: list[str] = []
    for part in _parts(schema, schema, 0):
        properties = {**part[0], **properties}
        needed += [name for name in part[1] if name not in needed]
    flat = {**own, "type": "object", "properties": properties}
    required = [name for name in needed if name in properties]
    flat.pop("required", None)
    return {**flat, "required": required} if required else flat


def _parts(schema: Any, root: Mapping[str, Any], depth: int) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Properties and required names of a schema and of all that it is combined from."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return
    properties, required = schema.get("properties"), schema.get("required")
    yield (
        properties if isinstance(properties, dict) else {},
        [name for name in required if isinstance(name, str)] if isinstance(required, list) else [],
    )
    yield from _parts(_referred(schema.get("$ref"), root), root, depth + 1)
    for part in _listed(schema.get("allOf")):
        yield from _parts(part, root, depth + 1)
    for key in ("anyOf", "oneOf"):
        alternatives = [list(_parts(part, root, depth + 1)) for part in _listed(schema.get(key))]
        if alternatives:
            yield _either(alternatives)


def _either(alternatives: Sequence[Sequence[tuple[dict[str, Any], list[str]]]]) -> tuple[dict[str, Any], list[str]]:
    """What one of several may have, and what each of them needs."""
    properties: dict[str, Any] = {}
    for alternative in alternatives:
        for own, _ in alternative:
            properties = {**own, **properties}
    needs = [[name for _, names in alternative for name in names] for alternative in alternatives]
    return properties, [name for name in needs[0] if all(name in others for others in needs)]


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
    """With ``items`` for arrays and ``properties`` for objects that lack them; the same value when none does."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return schema
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
