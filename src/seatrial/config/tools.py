"""``tools:``: what the agent can call. The kinds are told apart by ``type``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag

from seatrial.config.entity import Problem
from seatrial.config.fields import FullText, Limits, LongText, Text
from seatrial.config.mcp import McpToolConfig
from seatrial.config.model import ModelConfig
from seatrial.config.names import nearest
from seatrial.config.parameters import ParameterConfig
from seatrial.config.rules import exactly_one, exactly_one_given
from seatrial.config.tool_base import ToolBase
from seatrial.config.vectorstore import VectorstoreToolConfig

Identifier = Annotated[Text, Limits(pattern=r"[^\W\d]\w*", pattern_in_words="the name of a function")]
TOOL_TYPES = ("vectorstore", "function", "mcp", "prompt")


class FunctionToolConfig(ToolBase):
    """A function of a Python file. Without ``parameters`` the schema comes from its signature and docstring."""

    called: ClassVar[str] = "a function tool"
    synonyms: ClassVar[dict[str, str]] = {"path": "file", "params": "parameters", "args": "parameters"}

    type: Literal["function"] = Field(description="Which kind of tool it is.")
    file: FullText = Field(description="The Python file, relative to the agent file.")
    function: Identifier = Field(description="The function's name in that file.")
    parameters: dict[str, ParameterConfig] | None = Field(default=None, description="The arguments, by name.")
    thread: Literal["worker", "main"] = Field(
        default="worker", description="Where a plain function runs: in a thread of its own, or in the one of the loop."
    )


class PromptToolConfig(ToolBase):
    """A prompt with placeholders ``{{name}}`` that a model answers."""

    called: ClassVar[str] = "a prompt tool"
    synonyms: ClassVar[dict[str, str]] = {"prompt": "template", "inline": "template", "params": "parameters"}

    conditions = (exactly_one_given("template", "file"),)

    type: Literal["prompt"] = Field(description="Which kind of tool it is.")
    template: LongText | None = Field(default=None, description="The prompt; {{name}} stands for a parameter.")
    file: FullText | None = Field(default=None, description="A file with the prompt, relative to the agent file.")
    parameters: dict[str, ParameterConfig] = Field(min_length=1, description="The placeholders, by name.")
    model: ModelConfig | None = Field(default=None, description="The model that answers, in place of the agent's.")

    @classmethod
    def rules(cls, values: Mapping[str, Any]) -> Iterator[Problem]:
        """Exactly one of template and file."""
        yield from exactly_one(values, ("template", "file"), cls.called)


def tool_type(value: Any) -> str | None:
    """The tag of a tool as written: by its ``type``, a misspelt one too, else by the keys it has."""
    if not isinstance(value, dict):
        return f"<{value.type}>" if isinstance(value, ToolBase) else None
    written = value.get("type")
    if isinstance(written, str):
        meant = nearest(written, TOOL_TYPES)
        if meant is not None:
            return f"<{meant}>"
    return f"<{_guess(value)}>"


def _guess(value: dict[str, Any]) -> str:
    if "source" in value:
        return "vectorstore"
    if "template" in value:
        return "prompt"
    if value.keys() & {"server", "command", "url"}:
        return "mcp"
    return "function"


ToolConfig = Annotated[
    Annotated[VectorstoreToolConfig, Tag("<vectorstore>")]
    | Annotated[FunctionToolConfig, Tag("<function>")]
    | Annotated[McpToolConfig, Tag("<mcp>")]
    | Annotated[PromptToolConfig, Tag("<prompt>")],
    Discriminator(tool_type),
]
