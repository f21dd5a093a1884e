"""How a loop runs, whatever it is asked."""

from __future__ import annotations

from typing import Any

import msgspec

from seatrial.core.compaction import Compaction
from seatrial.core.hooks import AfterToolCall, BeforeRequest, BeforeToolCall
from seatrial.core.limits import Limits
from seatrial.core.model import Sampling
from seatrial.core.schema import compiled
from seatrial.core.tool import ExecutionMode

RESULT_LIMIT_CHARS = 50_000
MAX_PARALLEL_TOOLS = 16


class LoopConfig(msgspec.Struct, frozen=True):
    """The hooks in the order in which they were given, the way tools are run, and the bounds.

    With ``tool_execution="sequential"`` never two tools run at once. ``result_limit_chars`` is the most text of one
    tool result that the model gets. ``response_schema`` is the JSON Schema that the final answer must meet.
    Raises ValueError for values that mean nothing.
    """

    before_tool_call: tuple[BeforeToolCall, ...] = ()
    after_tool_call: tuple[AfterToolCall, ...] = ()
    before_request: tuple[BeforeRequest, ...] = ()
    tool_execution: ExecutionMode = "parallel"
    max_parallel_tools: int = MAX_PARALLEL_TOOLS
    limits: Limits = Limits()
    sampling: Sampling = Sampling()
    response_schema: dict[str, Any] | None = None
    result_limit_chars: int = RESULT_LIMIT_CHARS
    compaction: Compaction | None = None

    def __post_init__(self) -> None:
        if self.tool_execution not in ("parallel", "sequential"):
            raise ValueError(f"tool_execution is 'parallel' or 'sequential', not {self.tool_execution!r}")
        if self.max_parallel_tools < 1:
            raise ValueError(f"max_parallel_tools is at least 1, not {self.max_parallel_tools}")
        if self.result_limit_chars < 1:
            raise ValueError(f"result_limit_chars is at least 1, not {self.result_limit_chars}")
        problem = None if self.response_schema is None else compiled(self.response_schema).problem
        if problem is not None:
            raise ValueError(f"response_schema is no JSON Schema: {problem}")
