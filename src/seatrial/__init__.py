"""seatrial: put an agent through its sea trial before it sails."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_FACE = {
    "Agent": "seatrial.core.agent",
    "RunResult": "seatrial.core.agent",
    "AbortSignal": "seatrial.core.abort",
    "Hooks": "seatrial.core.hooks",
    "Limits": "seatrial.core.limits",
    "AssistantMessage": "seatrial.core.messages",
    "ToolResultMessage": "seatrial.core.messages",
    "UserMessage": "seatrial.core.messages",
    "ImageContent": "seatrial.core.content",
    "ReasoningContent": "seatrial.core.content",
    "TextContent": "seatrial.core.content",
    "ToolCall": "seatrial.core.content",
    "ToolOutput": "seatrial.core.tool",
    "SeatrialError": "seatrial.errors",
}

__all__ = ["__version__", *_FACE]


def __getattr__(name: str) -> Any:
    module = _FACE.get(name)
    if module is None:
        raise AttributeError(f"module 'seatrial' has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
