"""A list of tools in lines for people, and as a document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from seatrial.assembly.toolset import ListedTool, Listing
from seatrial.config.loaded import LoadedAgent
from seatrial.core.model import ToolSpec
from seatrial.core.tool import max_output_of
from seatrial.core.toolbox import spec_of
from seatrial.formats.tool_forms import TOOL_FORMS
from seatrial.reporters.plain import one_line

_TOLD_BY = {
    "openai_chat": "openai, azure_openai, ollama, openai_compatible, gguf",
    "openai_responses": "openai with api: responses",
    "anthropic_messages": "anthropic",
}
_NAMED = 8


def listing_document(listing: Listing, loaded: LoadedAgent) -> dict[str, Any]:
    """Everything that is known of the tools."""
    return {
        "file": str(loaded.path),
        "tools": [_entry(listed) for listed in listing.tools],
        "problems": list(listing.problems),
    }


def listing_lines(listing: Listing, *, has_schema: bool, is_sent: bool) -> Iterator[str]:
    """A heading for each tool with its description and parameters below."""
    if not listing.tools and not listing.problems:
        yield "the agent has no tools"
    widths = [max((len(text) for text in column), default=0) for column in _columns(listing)]
    for number, listed in enumerate(listing.tools):
        if number:
            yield ""
        spec = listed.offered.tool.spec
        name, kind = listed.offered.name.ljust(widths[0]), listed.kind.ljust(widths[1])
        yield f"{name}  {kind}  {one_line(listed.source)}"
        yield f"  {one_line(spec.description)}"
        for line in parameters_in_words(spec.parameters):
            yield f"    {one_line(line)}"
        if listed.offered.wire_name != listed.offered.name:
            yield f"  sent as {listed.offered.wire_name}"
        if has_schema:
            yield from _indented(spec.parameters)
        for api, form in TOOL_FORMS.items() if is_sent else ():
            yield f"  {api} ({_TOLD_BY[api]}):"
            yield from _indented(form(spec_of(listed.offered)))


def parameters_in_words(schema: Mapping[str, Any]) -> list[str]:
    """One line for each argument: its name, type, whether it is needed, its description."""
    needed = schema.get("required") or ()
    return [_parameter(name, entry, name in needed) for name, entry in (schema.get("properties") or {}).items()]


def _columns(listing: Listing) -> tuple[list[str], list[str]]:
    return [listed.offered.name for listed in listing.tools], [listed.kind for listed in listing.tools]


def _entry(listed: ListedTool) -> dict[str, Any]:
    tool: Any = listed.offered.tool
    spec: ToolSpec = tool.spec
    return {
        "name": listed.offered.name,
        "label": tool.label,
        "type": listed.kind,
        "source": listed.source,
        "description": spec.description,
        "parameters": spec.parameters,
        "examples": list(spec.examples),
        "execution_mode": tool.execution_mode,
        "timeout_s": tool.timeout_s,
        "max_output": max_output_of(tool),
        "sent_as": listed.offered.wire_name,
        "sent": {api: form(spec_of(listed.offered)) for api, form in TOOL_FORMS.items()},
    }


def _parameter(name: str, schema: Any, is_needed: bool) -> str:
    schema = schema if isinstance(schema, Mapping) else {}
    facts = [_type(schema), *(["required"] if is_needed else [])]
    if "default" in schema:
        facts.append(f"default {json.dumps(schema['default'], ensure_ascii=False)}")
    told = str(schema.get("description") or "")
    return f"{name} ({', '.join(facts)}){': ' if told else ''}{told}"


def _type(schema: Mapping[str, Any]) -> str:
    if "const" in schema or "enum" in schema:
        values = [schema["const"]] if "const" in schema else list(schema["enum"])
        named = ", ".join(json.dumps(value, ensure_ascii=False) for value in values[:_NAMED])
        return f"one of {named}{', ...' if len(values) > _NAMED else ''}"
    branches = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(branches, list):
        return " or ".join(dict.fromkeys(_type(branch) for branch in branches if isinstance(branch, Mapping)))
    kind = schema.get("type", "object" if "$ref" in schema or "properties" in schema else "anything")
    items = schema.get("items")
    if kind == "array" and isinstance(items, Mapping) and items:
        return f"array of {_type(items)}"
    return " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)


def _indented(value: Any) -> Iterator[str]:
    for line in json.dumps(value, indent=2, ensure_ascii=False).splitlines():
        yield f"    {line}"
