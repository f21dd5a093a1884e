"""A live agent whose answers stand in a table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from seatrial.config.cases import CaseConfig
from seatrial.core.abort import AbortSignal
from seatrial.core.content import TextContent
from seatrial.core.messages import AssistantMessage, Message, UserMessage
from seatrial.core.result import RunResult, Transcript
from seatrial.core.usage import Usage, UsageTotal
from seatrial.errors import AbortedError
from seatrial.metrics.grading import GradedMetric

Answer = str | Exception | Callable[[str, AbortSignal], Any]


def result(text: str = "fine", stop_reason: str = "stop", **changes: Any) -> RunResult:
    """What an agent's run gives."""
    reply = AssistantMessage((TextContent(text),), usage=Usage(10, 5))
    fields: dict[str, Any] = {
        "stop_reason": stop_reason,
        "transcript": Transcript((UserMessage("hi"), reply)),
        "usage": UsageTotal(input_tokens=10, output_tokens=5, requests=1),
        "cost_usd": 0.01,
    }
    return RunResult(**(fields | changes))


@dataclass
class ScriptedLiveAgent:
    """A live agent whose answers stand in a table, by what the user says."""

    answers: dict[str, Answer] = field(default_factory=dict)
    metrics: Sequence[GradedMetric] = ()
    asked: list[str] = field(default_factory=list)
    most_at_once: int = 0
    waiting: dict[str, asyncio.Event] = field(default_factory=dict)
    _now: int = 0

    @property
    def agent(self) -> ScriptedLiveAgent:
        return self

    @property
    def model(self) -> ScriptedLiveAgent:
        return self

    def why_no_tool(self, _name: str, _offered: Collection[str]) -> str | None:
        return None

    provider = "scripted"
    system_prompt = "Be brief."

    @asynccontextmanager
    async def for_trial(self, _stop: AbortSignal) -> AsyncIterator[Any]:
        yield self.agent

    def message_for(self, case: CaseConfig) -> UserMessage:
        return UserMessage(case.input or "")

    def metrics_for(self, _case: CaseConfig) -> list[GradedMetric]:
        return list(self.metrics)

    async def until_asked(self, text: str) -> None:
        """Returns when this was said to the agent."""
        await self._event(text).wait()

    def _event(self, text: str) -> asyncio.Event:
        return self.waiting.setdefault(text, asyncio.Event())

    async def run(self, message: UserMessage, *, history: Sequence[Message], signal: AbortSignal) -> Any:
        self.asked.append(message.text)
        self._event(message.text).set()
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        try:
            await asyncio.sleep(0)
            answer = self.answers.get(message.text, "fine")
            if isinstance(answer, Exception):
                raise answer
            if isinstance(answer, str):
                reply = AssistantMessage((TextContent(answer),), usage=Usage(10, 5))
                return result(transcript=Transcript((*history, message, reply)), history_length=len(history))
            return await answer(message.text, signal)
        finally:
            self._now -= 1


async def until_stopped(_text: str, signal: AbortSignal) -> Any:
    """An agent that listens: it comes back when stop is said."""
    await signal.wait()
    return result("", "aborted")


async def never(_text: str, _signal: AbortSignal) -> Any:
    """An agent that does not listen."""
    await asyncio.Event().wait()
    raise AbortedError("never")
