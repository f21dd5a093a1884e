"""What every tool has, whatever its type."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from seatrial.config.entity import Entity
from seatrial.config.fields import Description, FullText, Number, ToolName, Whole


class ToolBase(Entity):
    """Name, description and the settings that all tools share."""

    name: ToolName = Field(description="The tool's name, as the model sees it.")
    description: Description = Field(description="What it does, for the model.")
    type: str
    examples: tuple[FullText, ...] = Field(default=(), description="A few phrases that should lead to this tool.")
    timeout_s: Number | None = Field(default=None, gt=0, description="Seconds after which a call is given up.")
    execution_mode: Literal["parallel", "sequential"] = Field(
        default="parallel", description="sequential: runs alone, what was called before it is finished first."
    )
    max_output: Whole | None = Field(default=None, gt=0, description="Characters of a result that the model is shown.")
