"""From the ``hooks:`` block to live hooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seatrial.config.hooks import HooksConfig, split_reference
from seatrial.config.loaded import LoadedAgent
from seatrial.core.hooks import Hooks
from seatrial.tools.user_module import load_function


def build_hooks(config: HooksConfig, loaded: LoadedAgent) -> Hooks | None:
    """The functions that the block names; their files are executed. Raises `ToolError`."""
    before = tuple(_function(reference, loaded) for reference in config.before_tool_call)
    after = tuple(_function(reference, loaded) for reference in config.after_tool_call)
    return Hooks(before_tool_call=before, after_tool_call=after) if before or after else None


def _function(reference: str, loaded: LoadedAgent) -> Callable[..., Any]:
    file, function = split_reference(reference)
    return load_function(loaded.path_to(file), function)
