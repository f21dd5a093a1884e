"""What tests of your own need of seatrial; each name is loaded when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seatrial.metrics.score_text import score_text
    from seatrial.metrics.trajectory.asserting import assert_called, assert_not_called, assert_tools
    from seatrial.providers.scripted import ScriptedModel, calls, calls_many, fails, says, scripted
    from seatrial.runner.question import run_agent, run_agent_async

__all__ = [
    "ScriptedModel",
    "assert_called",
    "assert_not_called",
    "assert_tools",
    "calls",
    "calls_many",
    "fails",
    "run_agent",
    "run_agent_async",
    "says",
    "score_text",
    "scripted",
]

_ASSERTING = "seatrial.metrics.trajectory.asserting"
_QUESTION = "seatrial.runner.question"
_SCRIPTED = "seatrial.providers.scripted"
_FACE = {
    "ScriptedModel": _SCRIPTED,
    "assert_called": _ASSERTING,
    "assert_not_called": _ASSERTING,
    "assert_tools": _ASSERTING,
    "calls": _SCRIPTED,
    "calls_many": _SCRIPTED,
    "fails": _SCRIPTED,
    "run_agent": _QUESTION,
    "run_agent_async": _QUESTION,
    "says": _SCRIPTED,
    "score_text": "seatrial.metrics.score_text",
    "scripted": _SCRIPTED,
}


def __getattr__(name: str) -> Any:
    module = _FACE.get(name)
    if module is None:
        raise AttributeError(f"module 'seatrial.testing' has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
