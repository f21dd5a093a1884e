"""Which tool a message is for, by meaning."""

from __future__ import annotations

from collections.abc import Sequence

from seatrial.core.model import ToolSpec
from seatrial.providers.local_meaning import Meaning, spoken

LEAST_CLOSENESS = 0.15
_ALMOST_AS_CLOSE = 0.1
_EXAMPLE_WEIGHT = 0.5


def likely_tools(meaning: Meaning, message: str, tools: Sequence[ToolSpec]) -> list[ToolSpec]:
    """The closest tool and those almost as close, closest first; none when no tool is close at all."""
    scored = [(tool_closeness(meaning, message, tool), -place, tool) for place, tool in enumerate(tools)]
    close = sorted((item for item in scored if item[0] >= LEAST_CLOSENESS), key=lambda item: item[:2], reverse=True)
    return [tool for score, _place, tool in close if score >= close[0][0] - _ALMOST_AS_CLOSE]


def tool_closeness(meaning: Meaning, message: str, tool: ToolSpec) -> float:
    """The message's closeness to the tool's text; raised half-way to that of its closest example, never lowered."""
    text, *examples = meaning.closeness(message, [tool_text(tool), *tool.examples])
    return text + _EXAMPLE_WEIGHT * max(0.0, *(example - text for example in examples), 0.0)


def tool_text(tool: ToolSpec) -> str:
    """Name in words, description and the parameters' descriptions, as one text."""
    properties = tool.parameters.get("properties", {})
    described = [str(schema.get("description", "")) for schema in properties.values() if isinstance(schema, dict)]
    parts = [spoken(tool.name), tool.description, *described]
    return ". ".join(part.strip().rstrip(".") for part in parts if part.strip())
