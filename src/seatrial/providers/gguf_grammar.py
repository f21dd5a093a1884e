"""What the model may write, as a grammar of llguidance (guidance-ai/llguidance, docs/syntax.md, 2026).

With tools: a plain answer, or one call of an offered tool with arguments that fit its schema. With a schema for the
answer: JSON of that shape.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from seatrial.core.model import ToolSpec
from seatrial.formats.call_dialects import MARKERS

Thinking = Literal["never", "marked", "begun"]
"""Whether reasoning may come first: not at all, between marks, or at once because the prompt ends with an open mark."""

CALL_BEGIN, CALL_END = "<tool_call>", "</tool_call>"
THOUGHT_BEGIN, THOUGHT_END = "<think>", "</think>"
# In running text these would be taken for the end of reasoning, a tool's word, or a call that no schema has held.
NOT_IN_TEXT = (THOUGHT_END, "<tool_response", *MARKERS)

# What no grammar can hold is left out here; arguments are checked against their schema once more before a tool runs.
_JSON_STYLE = {"lenient": True, "whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
_LOOK_AROUND = re.compile(r"\(\?<?[=!]|\\[1-9]|\(\?P=")
_NOT_CLOSABLE = frozenset(
    {"additionalProperties", "unevaluatedProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf", "if"}
)


def grammar_of(
    tools: Sequence[ToolSpec], response_schema: dict[str, Any] | None = None, *, thinking: Thinking = "never"
) -> str | None:
    """The grammar, None where anything may be written."""
    if not tools and response_schema is None:
        return None
    answer = "answer" if response_schema is not None else "ANSWER"
    reply = f"( call | {answer} )" if tools else answer
    rules = ["%llguidance {}", f"start: {reply}" if thinking == "never" else f"start: THOUGHT? {reply}"]
    if thinking != "never":
        rules.append(_thought(thinking))
    if response_schema is not None:
        rules.append(f"answer: {_json(response_schema)}")
    elif tools:
        rules.append(f"ANSWER: {_TEXT} & ~{_bare_call(tools)}")
    if tools:
        rules.extend(_calls(tools))
    return "\n".join(rules) + "\n"


def _thought(thinking: Thinking) -> str:
    """A thought with its marks and the little space around them."""
    begin = rf"/[ \n]{{0,4}}{THOUGHT_BEGIN}/ " if thinking == "marked" else ""
    return rf"THOUGHT: {begin}({_TEXT}) /{_escaped(THOUGHT_END)}[ \n]{{0,4}}/"


def _calls(tools: Sequence[ToolSpec]) -> Iterator[str]:
    choices = " | ".join(f"call_{place}" for place in range(len(tools)))
    begin, end = _literal(f"{CALL_BEGIN}\n"), _literal(f"\n{CALL_END}")
    yield f"call: {begin} ( {choices} ) {end}"
    for place, tool in enumerate(tools):
        opening = _literal(f'{{"name": {json.dumps(tool.name)}, "arguments": ')
        yield f'call_{place}: {opening} arguments_{place} "}}"'
        yield f"arguments_{place}: {_json(tool.parameters)}"


def _json(schema: dict[str, Any]) -> str:
    return f"%json {json.dumps({'x-guidance': _JSON_STYLE, **_without_look_around(_closed(schema))})}"


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without room for keys of the model's own, where nobody asked for it."""
    if not isinstance(schema.get("properties"), dict) or schema.keys() & _NOT_CLOSABLE:
        return schema
    return {**schema, "additionalProperties": False}


def _without_look_around(value: Any) -> Any:
    """The schema without patterns that no grammar can follow; one of them would undo the whole grammar."""
    if isinstance(value, list):
        return [_without_look_around(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _without_look_around(item)
        for key, item in value.items()
        if not (key == "pattern" and isinstance(item, str) and _LOOK_AROUND.search(item))
    }


def _bare_call(tools: Sequence[ToolSpec]) -> str:
    """An answer that would be taken for a call although its arguments were never held to the schema."""
    names = "|".join(_escaped(tool.name) for tool in tools)
    return rf'/\s*(```\w*\s*)?\[?\s*\{{\s*"name"\s*:\s*"({names})"(?s:.*)/'


def _escaped(text: str) -> str:
    return re.escape(text).replace("/", r"\/")


def _literal(text: str) -> str:
    return json.dumps(text)


_TEXT = f"/(?s:.*)/ & ~/(?s:.*)({'|'.join(map(_escaped, NOT_IN_TEXT))})(?s:.*)/"
