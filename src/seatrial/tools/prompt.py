"""Tools that are a prompt: a template whose placeholders the arguments fill, answered by a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from seatrial.config.templates import fill
from seatrial.core.agent import Agent
from seatrial.core.events import AgentEvent, MessageStarted
from seatrial.core.limits import Limits
from seatrial.core.model import Model, Sampling, ToolSpec
from seatrial.core.schema import validate_required_args
from seatrial.core.subagent import output_of_run
from seatrial.core.tool import ExecutionMode, ToolContext, ToolOutput
from seatrial.core.values import text_of_value
from seatrial.errors import ToolError


class PromptTool:
    """Asks ``model`` one question a call: the filled template, without tools, history or instructions.

    What stands in an argument is data: a brace in it is a brace. ``parameters`` is a JSON Schema of type object; its
    defaults fill what a call leaves out, and what has none is left empty. Usage and cost of the request count for the
    run that calls; a model that gives no whole answer makes an error result.
    """

    def __init__(
        self,
        *,
        name: str,
        description: str,
        template: str,
        parameters: dict[str, Any],
        model: Model,
        sampling: Sampling | None = None,
        examples: Sequence[str] = (),
        timeout_s: float | None = None,
        execution_mode: ExecutionMode = "parallel",
        max_output_chars: int | None = None,
    ) -> None:
        self.spec = ToolSpec(name, description, parameters, tuple(examples))
        self.label = name
        self.timeout_s = timeout_s
        self.execution_mode: ExecutionMode = execution_mode
        self.max_output_chars = max_output_chars
        self._template = template
        self._model = model
        self._agent = Agent(model, sampling=sampling, limits=Limits(max_turns=1))

    def check_arguments(self, arguments: dict[str, Any]) -> str | None:
        """Names the required arguments that are missing."""
        return validate_required_args(arguments, self.spec.parameters)

    def prompt(self, arguments: Mapping[str, Any]) -> str:
        """The question that a call with these arguments asks."""
        properties: Mapping[str, Mapping[str, Any]] = self.spec.parameters.get("properties", {})
        values = {name: arguments.get(name, schema.get("default")) for name, schema in properties.items()}
        return fill(self._template, {name: _text(value) for name, value in values.items()})

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutput:
        """The model's answer; the request and the reply stand in the details.

        The question is told as progress. Raises `ToolError` when the filled template is blank.
        """
        prompt = self.prompt(arguments)
        if not prompt.strip():
            raise ToolError("the filled prompt is empty: the arguments say nothing")

        def tell(event: AgentEvent) -> None:
            if isinstance(event, MessageStarted):
                context.update(f"asks {self._model.provider} {self._model.name}: {prompt}")

        result = await self._agent.run(prompt, signal=context.signal, sink=tell, with_deltas=False)
        return output_of_run(self.spec.name, result)


def _text(value: Any) -> str:
    """A value in the prompt: text as it is, nothing for null, all else as JSON."""
    return "" if value is None else text_of_value(value)
