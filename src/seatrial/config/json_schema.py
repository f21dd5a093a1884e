"""The JSON Schema of the agent file, from the same models that read it.

What a schema cannot say (names used twice, files that exist) is left to `seatrial validate`. Where a number or a word
of a closed set is asked for, a text with a variable is allowed too, and optional keys may be left empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from seatrial.config.agent import AgentConfig
from seatrial.config.entity import entity_classes
from seatrial.config.holodeck import ignored_keys, rules

_VARIABLE = r"\$\{"
_NUMBERS = {
    "integer": r"^\s*[-+]?[0-9][0-9_]*(\.0*)?\s*$",
    "number": r"^\s*[-+]?([0-9][0-9_]*(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$",
    "boolean": r"^([yY]es|[nN]o|[oO]n|[oO]ff|true|false|True|False|TRUE|FALSE|YES|NO|ON|OFF|[01tfyn])$",
}
_BOUNDS = {"gt": "exclusiveMinimum", "ge": "minimum", "lt": "exclusiveMaximum", "le": "maximum"}
_TEXT = {"type": ["string", "number", "boolean"]}


def agent_json_schema(providers: Iterable[str] = (), metrics: Iterable[str] = ()) -> dict[str, Any]:
    """The schema, draft 2020-12. Known providers and metrics are offered, others are allowed: plugins add more."""
    schema: dict[str, Any] = tidied(AgentConfig.model_json_schema())
    definitions = schema["$defs"]
    _allow_other_forms(definitions)
    _add_forms_of_entities(definitions)
    _allow_ignored_keys(schema, definitions)
    for name, key, known in (("ModelConfig", "provider", providers), ("MetricConfig", "metric", metrics)):
        _offer(_block(definitions[name])["properties"], key, list(known))
    schema["patternProperties"] = {"^x-": {}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "seatrial agent file",
        **schema,
    }


def tidied(schema: Any) -> Any:
    """A schema of a model without noise, with the other forms that its values may have."""
    if isinstance(schema, list):
        return [tidied(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {str(key): item for key, item in schema.items() if not _is_noise(key, item)}
    return _with_variables({_BOUNDS.get(key, key): _tidied_entry(key, item) for key, item in kept.items()})


def _tidied_entry(key: str, item: Any) -> Any:
    if key == "properties" and isinstance(item, dict):
        return {name: tidied(part) for name, part in item.items()}
    return item if key in ("enum", "required", "examples", "default", "const") else tidied(item)


def _is_noise(key: str, item: Any) -> bool:
    return (key == "title" and isinstance(item, str)) or (key == "default" and item is None)


def _with_variables(schema: dict[str, Any]) -> dict[str, Any]:
    """Lets a number, a boolean or a word of a closed set be given as text, and optional keys be empty."""
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        required = schema.get("required", ())
        properties = schema["properties"]
        schema["properties"] = {name: part if name in required else _or_null(part) for name, part in properties.items()}
    kind = schema.get("type")
    if isinstance(kind, str) and kind in _NUMBERS:
        return _either(schema, {"type": "string", "pattern": f"{_NUMBERS[kind]}|{_VARIABLE}"})
    if isinstance(schema.get("enum"), list) and kind == "string":
        return _either(schema, {"type": "string", "pattern": _VARIABLE})
    if isinstance(schema.get("pattern"), str) and not schema["pattern"].endswith(_VARIABLE):
        schema["pattern"] = f"{schema['pattern']}|{_VARIABLE}"
    return schema


def _either(schema: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    about: dict[str, Any] = {key: schema.pop(key) for key in ("description", "default") if key in schema}
    return {**about, "anyOf": [schema, other]}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    options = schema.get("anyOf")
    if options is not None and {"type": "null"} in options:
        return schema
    if options is not None:
        return {**schema, "anyOf": [*options, {"type": "null"}]}
    about: dict[str, Any] = {key: schema[key] for key in ("description", "default") if key in schema}
    inner = {key: item for key, item in schema.items() if key not in about}
    return {**about, "anyOf": [inner, {"type": "null"}]} if inner else schema


def _block(definition: dict[str, Any]) -> dict[str, Any]:
    """The definition's form as a block of keys, without its shorthands."""
    if "properties" in definition:
        return definition
    found: dict[str, Any] = next(option for option in definition["anyOf"] if "properties" in option)
    return found


def _allow_other_forms(definitions: dict[str, Any]) -> None:
    check = {"$ref": "#/$defs/CheckConfig"}
    for name in ("CaseConfig", "TurnConfig"):
        properties = definitions[name]["properties"]
        properties["checks"]["anyOf"] += [check, {"const": "none"}]
        metrics = {"type": "array", "items": {"$ref": "#/$defs/MetricConfig"}}
        properties["evaluations"]["anyOf"] = [metrics, {"type": "null"}]
    definitions["CheckConfig"]["properties"]["not"] = check
    requires = definitions["CaseConfig"]["properties"]["require"]
    requires["anyOf"].append({"type": "string", "pattern": r"^\s*\d+\s*(of|/)\s*\d+\s*$"})
    metric = _block(definitions["MetricConfig"])
    metric["properties"]["metric_type"] = {**_TEXT, "description": "The metric's name, for `type: rag`."}
    metric["required"] = [key for key in metric.get("required", ()) if key != "metric"]


def _add_forms_of_entities(definitions: dict[str, Any]) -> None:
    for cls in entity_classes():
        block = definitions.get(cls.__name__)
        if block is None:
            continue
        if cls.conditions:
            block["allOf"] = list(cls.conditions)
        if cls.shorthands:
            definitions[cls.__name__] = {"anyOf": [block, *cls.shorthands]}


def _allow_ignored_keys(schema: dict[str, Any], definitions: dict[str, Any]) -> None:
    homes = {
        "": [schema],
        "evaluations": [_block(definitions["EvaluationsConfig"])],
        "embedding_provider": [_block(definitions["EmbeddingConfig"])],
        "tools[]": [
            definition
            for name, definition in definitions.items()
            if name.endswith("ToolConfig") and name != "ExpectedToolConfig"
        ],
        "test_cases[].files[]": [definitions["FileConfig"]],
    }
    for path, reason in ignored_keys().items():
        holder, _, key = path.rpartition(".")
        for home in homes.get(holder, ()):
            home["properties"][key] = {"deprecated": True, "description": f"Of HoloDeck, without effect: {reason}."}
    for path, values in rules()["renamed_values"].items():
        holder, _, key = path.rpartition(".")
        for home in homes[holder]:
            if key in home["properties"]:
                _widen(home["properties"], key, {"enum": list(values), "deprecated": True})
    for home in homes["tools[]"]:
        home["properties"]["request_timeout"] = {"deprecated": True, "description": "Of HoloDeck, the same as timeout."}


def _widen(properties: dict[str, Any], key: str, also: dict[str, Any]) -> None:
    known = properties[key]
    about = {name: known.pop(name) for name in ("description", "default") if name in known}
    properties[key] = {**about, "anyOf": [known, also]}


def _offer(properties: dict[str, Any], key: str, known: list[str]) -> None:
    if known:
        text = properties[key]
        about = {"description": text.pop("description")} if "description" in text else {}
        properties[key] = {**about, "anyOf": [{"enum": known}, text]}
