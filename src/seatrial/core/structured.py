"""An answer that must be JSON of a given shape."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from seatrial.core.content import AssistantBlock, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, StopReason
from seatrial.core.model import ToolSpec
from seatrial.core.schema import problems_of

MAX_CORRECTIONS = 2
FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL | re.IGNORECASE)
WRAPPED = "answer"


class Answer(msgspec.Struct, frozen=True):
    """What was read from a reply: the value, or the problem with it in words for the model."""

    value: Any = None
    problem: str | None = None


class StructuredAnswer:
    """Gets the final answer in a shape, for one run.

    Where no tools are offered the request itself carries the schema. Beside other tools a hidden one takes the answer,
    because asking for JSON alone keeps models from using tools; a call of it is read as the answer's text.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema
        self.corrections_left = MAX_CORRECTIONS
        self._is_object = schema.get("type") == "object"
        self._offered: tuple[tuple[ToolSpec, ...], tuple[ToolSpec, ...]] | None = None
        self._name = ""

    def offered(self, specs: tuple[ToolSpec, ...]) -> tuple[ToolSpec, ...]:
        """The tools of a request with the hidden one at the end; the same tuple for the same tools."""
        if not specs:
            return specs
        if self._offered is None or self._offered[0] is not specs:
            self._name = _free_name({spec.name for spec in specs})
            self._offered = (specs, (*specs, self._spec()))
        return self._offered[1]

    def unwrapped(self, reply: AssistantMessage) -> AssistantMessage:
        """The reply with a call of the hidden tool as its text, or without it where other calls stand beside it."""
        calls = reply.tool_calls
        answers = [call for call in calls if call.name == self._name]
        if not answers:
            return reply
        rest = [block for block in reply.content if not isinstance(block, ToolCall) or block.name != self._name]
        if len(answers) < len(calls):
            return msgspec.structs.replace(reply, content=tuple(rest))
        rest = [block for block in rest if not isinstance(block, TextContent)]
        stop_reason: StopReason = "stop" if reply.stop_reason == "tool_calls" else reply.stop_reason
        content: tuple[AssistantBlock, ...] = (*rest, TextContent(self._text_of(answers[0])))
        return msgspec.structs.replace(reply, content=content, stop_reason=stop_reason)

    def read(self, text: str) -> Answer:
        """The value in an answer's text, in a code fence or not, held against the schema."""
        try:
            value = msgspec.json.decode(_without_fence(text).encode("utf-8", "replace"))
        except (msgspec.DecodeError, RecursionError) as error:
            return Answer(problem=f"it is not JSON: {error}")
        problems = problems_of(self.schema, value)
        return Answer(problem="; ".join(problems)) if problems else Answer(value)

    def correction(self, problem: str) -> str:
        """What to tell a model whose answer does not fit."""
        schema = msgspec.json.encode(self.schema).decode()
        wrong = f"Your answer does not fit the required form: {problem}"
        return f"{wrong}\nAnswer again with JSON only, of this schema: {schema}"

    def _spec(self) -> ToolSpec:
        wrapped = {"type": "object", "properties": {WRAPPED: self.schema}, "required": [WRAPPED]}
        return ToolSpec(
            self._name,
            "Gives the final answer to the user. Call it once, last, when no other tool is needed any more.",
            self.schema if self._is_object else wrapped,
        )

    def _text_of(self, call: ToolCall) -> str:
        if call.arguments_error is not None:
            return call.arguments_text or ""
        value = call.arguments if self._is_object else call.arguments.get(WRAPPED)
        return msgspec.json.encode(value).decode()


def _without_fence(text: str) -> str:
    found = FENCED.findall(text)
    return found[0] if len(found) == 1 else text


def _free_name(taken: set[str]) -> str:
    name = "final_answer"
    while name in taken:
        name += "_"
    return name
