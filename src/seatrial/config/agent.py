"""The whole agent file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from seatrial.config.cases import CaseConfig
from seatrial.config.embedding import EmbeddingConfig
from seatrial.config.entity import Entity, Problem
from seatrial.config.evaluations import EvaluationsConfig
from seatrial.config.fields import Description, FreeValue, Name, Text, Texts
from seatrial.config.hooks import HooksConfig
from seatrial.config.instructions import InstructionsConfig
from seatrial.config.limits import LimitsConfig
from seatrial.config.model import ModelConfig
from seatrial.config.rules import at_most_one
from seatrial.config.tools import ToolConfig
from seatrial.config.variants import VariantConfig


class AgentConfig(Entity):
    """One agent: what it is, what it can call, and what it must be able to do."""

    called: ClassVar[str] = "the agent file"
    synonyms: ClassVar[dict[str, str]] = {
        "system_prompt": "instructions",
        "prompt": "instructions",
        "system": "instructions",
        "llm": "model",
        "tests": "test_cases",
        "cases": "test_cases",
        "metrics": "evaluations",
        "evals": "evaluations",
    }

    name: Name = Field(description="The agent's name: letters, digits and hyphens, beginning with a letter.")
    description: Description | None = Field(default=None, description="What the agent is for.")
    author: Text | None = Field(default=None, description="Who made it.")
    model: ModelConfig = Field(description="Which model answers.")
    instructions: InstructionsConfig = Field(description="The system prompt.")
    tools: tuple[ToolConfig, ...] = Field(default=(), max_length=50, description="What the agent can call, at most 50.")
    tool_execution: Literal["parallel", "sequential"] = Field(
        default="parallel", description="Whether the tool calls of one reply run at the same time."
    )
    limits: LimitsConfig = Field(default=LimitsConfig(), description="When a run is ended.")
    hooks: HooksConfig = Field(default=HooksConfig(), description="Functions that may change or stop tool calls.")
    response_format: FreeValue = Field(
        default=None, description="A JSON Schema for the final answer: inline, or a file."
    )
    embedding: EmbeddingConfig | None = Field(default=None, description="The embedding model of the vector stores.")
    embedding_provider: EmbeddingConfig | None = Field(default=None, description="Another name of embedding.")
    evaluations: EvaluationsConfig | None = Field(default=None, description="What is measured of every case.")
    test_cases: tuple[CaseConfig, ...] = Field(default=(), description="What the agent is asked; at most 100.")
    test_cases_file: Texts = Field(default=(), description="Files with more cases: YAML, JSONL, CSV, or patterns.")
    variants: tuple[VariantConfig, ...] = Field(default=(), description="The same agent with other settings.")

    @property
    def embedder(self) -> EmbeddingConfig | None:
        """The embedding block, under whichever of its two names it stands."""
        return self.embedding or self.embedding_provider

    @classmethod
    def rules(cls, values: Mapping[str, Any]) -> Iterator[Problem]:
        """One of the two names of the embedding block."""
        yield from at_most_one(values, ("embedding", "embedding_provider"), cls.called)
