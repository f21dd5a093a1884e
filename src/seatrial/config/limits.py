"""The ``limits:`` block: when a run is ended."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from seatrial.config.entity import Entity
from seatrial.config.fields import Number, Whole


class LimitsConfig(Entity):
    """Bounds of one run; one that is hit ends the run with the stop reason ``limit``."""

    called: ClassVar[str] = "`limits:`"
    synonyms: ClassVar[dict[str, str]] = {
        "max_iterations": "max_turns",
        "max_steps": "max_turns",
        "timeout": "timeout_s",
    }

    max_turns: Whole = Field(default=20, gt=0, description="Requests to the model.")
    max_tool_calls: Whole | None = Field(default=None, ge=0, description="Tool calls that are run.")
    max_tokens: Whole | None = Field(default=None, gt=0, description="Input and output tokens together.")
    max_cost_usd: Number | None = Field(default=None, gt=0, description="US dollars.")
    timeout_s: Number | None = Field(default=None, gt=0, description="Seconds of wall-clock time.")
