"""What one trial is recorded on or replayed from, and the way to it from wherever a call is made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from typing import Any, Protocol

from seatrial.core.messages import AssistantMessage
from seatrial.core.model import ModelRequest, NoticeSink
from seatrial.core.tool import Tool, ToolContext, ToolOutput

AskModel = Callable[[NoticeSink | None], Awaitable[AssistantMessage]]
RunTool = Callable[[ToolContext], Awaitable[ToolOutput]]
ListTools = Callable[[], Awaitable[Sequence[Tool]]]


class Tape(Protocol):
    """Answers the calls of one trial. Each is given the way to the real thing, which it may take or leave."""

    async def ask(
        self, model: str, request: ModelRequest, live: AskModel, on_notice: NoticeSink | None, *, is_judge: bool
    ) -> AssistantMessage:
        """A model's reply."""

    async def run(self, tool: Tool, arguments: dict[str, Any], live: RunTool, context: ToolContext) -> ToolOutput:
        """A tool's output; raises what the tool raised."""

    async def list_tools(self, source: str, live: ListTools) -> Sequence[Tool]:
        """What a server offers; the same object as before when nothing changed."""

    def embed(self, embedder: str, texts: Sequence[str], live: Callable[[], str]) -> str:
        """Vectors of texts, as text. Called in any thread."""


_current: ContextVar[Tape | None] = ContextVar("seatrial_tape", default=None)


def current_tape() -> Tape | None:
    """The tape of the trial in which this is called; None outside of trials."""
    return _current.get()


class Threaded:
    """Makes a tape the current one for the time of a block."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def __enter__(self) -> None:
        self._token = _current.set(self._tape)

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)
