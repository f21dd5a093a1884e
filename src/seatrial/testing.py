"""What tests of your own need of seatrial; each name is loaded when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from seatrial.metrics.score_text import score_text

__all__ = ["score_text"]

_FACE = {"score_text": "seatrial.metrics.score_text"}


def __getattr__(name: str) -> Any:
    module = _FACE.get(name)
    if module is None:
        raise AttributeError(f"module 'seatrial.testing' has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
