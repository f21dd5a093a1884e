"""How each API is told of a tool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seatrial.core.model import ToolSpec
from seatrial.formats.anthropic_messages import tool_to_anthropic
from seatrial.formats.openai_chat import tool_to_openai
from seatrial.formats.openai_responses import tool_to_responses

TOOL_FORMS: dict[str, Callable[[ToolSpec], dict[str, Any]]] = {
    "openai_chat": tool_to_openai,
    "openai_responses": tool_to_responses,
    "anthropic_messages": tool_to_anthropic,
}
