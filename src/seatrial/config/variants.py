"""``variants:``: the same agent with other instructions, model or tools."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Discriminator, Field, Tag

from seatrial.config.entity import Entity
from seatrial.config.fields import Description, FullText, ShortText
from seatrial.config.instructions import InstructionsConfig
from seatrial.config.limits import LimitsConfig
from seatrial.config.model import ModelConfig
from seatrial.config.tools import ToolConfig

ToolReference = Annotated[
    Annotated[FullText, Tag("<name>")] | Annotated[ToolConfig, Tag("<tool>")],
    Discriminator(lambda value: "<name>" if isinstance(value, str) else "<tool>"),
]


class VariantConfig(Entity):
    """One configuration of the agent; what it does not set is the agent's own."""

    called: ClassVar[str] = "a variant"

    name: ShortText = Field(description="The variant's name, unique in the file.")
    description: Description | None = Field(default=None, description="What is different, for people.")
    model: ModelConfig | None = Field(default=None, description="Another model; keys not given are the agent's.")
    instructions: InstructionsConfig | None = Field(default=None, description="Other instructions.")
    tools: tuple[ToolReference, ...] | None = Field(
        default=None, description="Names of the agent's tools, or whole tools."
    )
    limits: LimitsConfig | None = Field(default=None, description="Other limits.")
