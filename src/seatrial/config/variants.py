"""``variants:``: the same agent with other instructions, model or tools."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Discriminator, Field, Tag

from seatrial.config.entity import Entity
from seatrial.config.fields import Description, FullText, ShortText
from seatrial.config.instructions import InstructionsConfig
from seatrial.config.limits import LimitsConfig
from seatrial.config.located import Block, Listing
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


def complete_variants(data: Block) -> None:
    """Puts the agent's own model settings where a variant's model of the same provider says nothing."""
    model, variants = data.get("model"), data.get("variants")
    if not isinstance(model, Block) or not isinstance(variants, Listing):
        return
    for variant in variants:
        own = variant.get("model") if isinstance(variant, Block) else None
        if not isinstance(own, Block) or own.get("provider") not in (None, model.get("provider")):
            continue
        for key in model:
            if own.get(key) is None:
                own.take_over(key, model)
