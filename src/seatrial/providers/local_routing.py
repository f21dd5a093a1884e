"""Which tool a message is for, by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from seatrial.core.model import ToolSpec
from seatrial.providers.local_meaning import Meaning, spoken

LEAST_CLOSENESS = 0.15
_ALMOST_AS_CLOSE = 0.1
_EXAMPLE_WEIGHT = 0.5


class RankedTool(NamedTuple):
    """A tool and how close a message is to it, from -1 to 1."""

    closeness: float
    tool: ToolSpec


def ranked_tools(meaning: Meaning, message: str, tools: Sequence[ToolSpec]) -> list[RankedTool]:
    """All tools, the closest first; of several as close, in their own order."""
    ranked = [RankedTool(tool_closeness(meaning, message, tool), tool) for tool in tools]
    return sorted(ranked, key=lambda item: item.closeness, reverse=True)


def likely_tools(ranked: Sequence[RankedTool]) -> list[ToolSpec]:
    """The closest tool and those almost as close, closest first; none when no tool is close at all."""
    close = [item for item in ranked if item.closeness >= LEAST_CLOSENESS]
    return [tool for closeness, tool in close if closeness >= close[0].closeness - _ALMOST_AS_CLOSE]


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
