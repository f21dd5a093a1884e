"""From a ``tools:`` entry of type prompt to a live tool."""

from __future__ import annotations

from collections.abc import Callable

from seatrial.assembly.models import sampling
from seatrial.config.loaded import LoadedAgent
from seatrial.config.model import ModelConfig
from seatrial.config.parameters import parameters_schema
from seatrial.config.source import read_source
from seatrial.config.tools import PromptToolConfig
from seatrial.core.model import Model
from seatrial.tools.prompt import PromptTool

ModelMaker = Callable[[ModelConfig], Model]


def build_prompt_tool(
    config: PromptToolConfig, loaded: LoadedAgent, model_for: ModelMaker, agents_model: ModelConfig
) -> PromptTool:
    """The prompt, answered by its own model or else by the agent's. Raises what making the model raises."""
    asked = config.model or agents_model
    return PromptTool(
        name=config.name,
        description=config.description,
        template=_template(config, loaded),
        parameters=parameters_schema(config.parameters),
        model=model_for(asked),
        sampling=sampling(asked),
        examples=config.examples,
        timeout_s=config.timeout_s,
        execution_mode=config.execution_mode,
        max_output_chars=config.max_output,
    )


def _template(config: PromptToolConfig, loaded: LoadedAgent) -> str:
    if config.file is None:
        return config.template or ""
    return read_source(loaded.path_to(config.file)).text
