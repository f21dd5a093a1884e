"""One model that is asked for verdicts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from seatrial.core.content import TextContent
from seatrial.core.messages import AssistantMessage, Message, UserMessage
from seatrial.core.model import Model, ModelRequest, Sampling
from seatrial.errors import MetricError
from seatrial.metrics.judge.material import Part, fence_rule, fenced
from seatrial.metrics.judge.reply import UnreadableReplyError, read_own
from seatrial.metrics.spending import count_lost, count_reply

T = TypeVar("T")

CLOSING = "Give your verdict now: one JSON object and nothing else."


class Reply(msgspec.Struct, frozen=True):
    """What a judge wrote, and what it cost; None is unknown."""

    text: str
    model: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


class Judge:
    """Asks a model with fenced material, at temperature 0 unless told otherwise. ``seed`` tells draws apart."""

    def __init__(self, model: Model, *, temperature: float = 0.0) -> None:
        self.model_name = f"{model.provider}:{model.name}"
        self._model = model
        self._temperature = temperature

    async def ask(self, task: str, parts: Sequence[Part], schema: dict[str, Any], *, seed: int | None = None) -> Reply:
        """The reply. Raises `MetricError` when the model fails, refuses or is cut off."""
        return await self._respond(task, parts, schema, (_opening(parts),), seed)

    async def ask_for(
        self,
        task: str,
        parts: Sequence[Part],
        schema: dict[str, Any],
        read: Callable[[str], T],
        *,
        seed: int | None = None,
    ) -> tuple[T, tuple[Reply, ...]]:
        """What ``read`` makes of the reply; a reply that it cannot read is sent back once to be mended.

        Raises `UnreadableReplyError` when the second is no better.
        """
        opening = _opening(parts)
        first = await self._respond(task, parts, schema, (opening,), seed)
        try:
            return read_own(first.text, parts, read), (first,)
        except UnreadableReplyError as error:
            complaint = UserMessage(f"{error.message}. {CLOSING}")
        said = AssistantMessage((TextContent(first.text or "(nothing)"),))
        second = await self._respond(task, parts, schema, (opening, said, complaint), seed)
        return read_own(second.text, parts, read), (first, second)

    async def _respond(
        self,
        task: str,
        parts: Sequence[Part],
        schema: dict[str, Any],
        messages: tuple[Message, ...],
        seed: int | None,
    ) -> Reply:
        request = ModelRequest(
            system_prompt=f"{task}\n\n{fence_rule(parts)}",
            messages=messages,
            sampling=Sampling(temperature=self._temperature, seed=seed),
            response_schema=schema,
        )
        try:
            message = await self._model.respond(request)
        except asyncio.CancelledError:
            count_lost()
            raise
        count_reply(message, self._model)
        reply = Reply(
            message.text, self.model_name, message.usage.input_tokens, message.usage.output_tokens, message.cost_usd
        )
        _check(message, reply)
        return reply


def spent(replies: Sequence[Reply]) -> dict[str, Any]:
    """Tokens and dollars of several replies; a sum with an unknown part is unknown."""
    return {
        "input_tokens": _sum([reply.input_tokens for reply in replies]),
        "output_tokens": _sum([reply.output_tokens for reply in replies]),
        "cost_usd": _sum([reply.cost_usd for reply in replies]),
    }


def _opening(parts: Sequence[Part]) -> UserMessage:
    return UserMessage(f"{fenced(parts)}\n\n{CLOSING}")


def _check(message: AssistantMessage, reply: Reply) -> None:
    if message.stop_reason == "stop":
        return
    what = {
        "refusal": "refused",
        "content_filter": "was stopped by its content filter",
        "length": "was cut off at its output limit",
        "aborted": "was stopped",
    }.get(message.stop_reason, "failed")
    said = message.error_message or message.text
    raise MetricError(
        f"the judge {reply.model} {what}" + (f": {said:.300}" if said else ""),
        details={"reply": message.text, "stop_reason": message.stop_reason},
    )


def _sum(numbers: Sequence[float | None]) -> float | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == len(numbers) else None
