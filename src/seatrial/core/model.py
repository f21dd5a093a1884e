"""What a model is to the core: an object that answers a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

import msgspec

from seatrial.core.abort import AbortSignal
from seatrial.core.messages import AssistantMessage, Message
from seatrial.core.usage import ModelCost


class ToolSpec(msgspec.Struct, frozen=True):
    """What a model is told of a tool.

    ``examples`` are phrases that should lead to it, ``aliases`` names that people have for it besides; the wire leaves
    both out.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    examples: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


class Sampling(msgspec.Struct, frozen=True, omit_defaults=True):
    """How to draw an answer; what is None is not sent."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None


class ModelRequest(msgspec.Struct, frozen=True):
    """Everything that one answer is made from. ``response_schema`` asks for JSON of that shape.

    A provider without a native way to ask for JSON tells the model in words.
    """

    system_prompt: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    sampling: Sampling = Sampling()
    response_schema: dict[str, Any] | None = None


class ModelInfo(msgspec.Struct, frozen=True, omit_defaults=True):
    """A catalogue entry: what is known of a model. Windows in tokens; None is unknown."""

    id: str
    name: str
    provider: str
    base_url: str | None = None
    is_reasoning: bool = False
    input_modalities: tuple[str, ...] | None = ("text",)
    cost: ModelCost | None = None
    context_window: int | None = None
    max_tokens: int | None = None


class TextDelta(msgspec.Struct, frozen=True, gc=False, tag=True):
    """More text of the answer."""

    text: str


class TextWasReasoning(msgspec.Struct, frozen=True, gc=False, tag=True):
    """All text told so far of this reply turned out to be reasoning; what follows is the text from its beginning.

    It comes where a model ends its thoughts with a closing tag that nothing had opened.
    """


class ReasoningDelta(msgspec.Struct, frozen=True, gc=False, tag=True):
    """More reasoning."""

    text: str


class ToolCallDelta(msgspec.Struct, frozen=True, gc=False, tag=True):
    """More of a call's arguments; ``position`` is the call's place among the calls of this reply, from 0."""

    position: int
    name: str
    arguments_text: str


class RetryNotice(msgspec.Struct, frozen=True, gc=False, tag=True):
    """A try failed and will be repeated after ``delay_s`` seconds; ``attempt`` is the one that failed, from 1."""

    attempt: int
    delay_s: float
    reason: str


ModelNotice = TextDelta | TextWasReasoning | ReasoningDelta | ToolCallDelta | RetryNotice
NoticeSink = Callable[[ModelNotice], None]


class Model(Protocol):
    """Answers requests. One object may be asked many times at once."""

    @property
    def provider(self) -> str:
        """Who hosts it."""

    @property
    def name(self) -> str:
        """The model's name at the provider."""

    @property
    def info(self) -> ModelInfo | None:
        """What is known of it, None when nothing is."""

    async def respond(
        self, request: ModelRequest, *, on_notice: NoticeSink | None = None, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        """One reply. Streams when ``on_notice`` is given, else may ask for the whole answer at once.

        Tries that failed before the reply are told as `RetryNotice` and kept in the reply's ``failed_tries``.
        Failures of the provider are replies with ``stop_reason="error"`` (``incomplete``, ``refusal``, ...), not
        exceptions. When ``signal`` is set it returns within 100 ms with ``stop_reason="aborted"`` and what it has.
        """

    async def close(self) -> None:
        """Frees connections and memory; a closed model may be asked no more."""


def stops_itself(model: Model) -> bool:
    """Whether the model says of itself, by ``stops_itself = True``, that it may be awaited without being watched.

    It keeps its word on ``signal`` in every state and lets a cancelling through. Of any other model the core makes sure
    that it comes back in time, at the price of a task for each request.
    """
    return getattr(model, "stops_itself", False) is True


def host_of(model: Model) -> str:
    """What requests to the model share with others: the host it names by ``host``, else its provider."""
    host = getattr(model, "host", None)
    return host if isinstance(host, str) else model.provider


@runtime_checkable
class Preparable(Protocol):
    """A model that can get ready before it is first asked, so that no answer waits for it."""

    async def prepare(self) -> None:
        """Loads code and weights; sends nothing. Asking without it works too."""
