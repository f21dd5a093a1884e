"""Runs of an agent on tape: recorded with real tools and a scripted model, replayed with nothing to call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from seatrial.core.agent import Agent
from seatrial.core.events import AgentEvent
from seatrial.core.model import Model
from seatrial.core.result import RunResult
from seatrial.core.tool import SimpleTool, Tool
from seatrial.recording.deck import Deck

CASE = "a case"
_TIMES = {"timestamp", "duration_s", "waited_s"}


@dataclass
class Taped:
    """What came of one run on tape."""

    events: list[AgentEvent]
    result: RunResult
    missing: str | None
    unused: list[str] = field(default_factory=list)

    @property
    def story(self) -> list[Any]:
        """The events in order, without times."""
        return [timeless(msgspec.to_builtins(event)) for event in self.events]


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: timeless(item) for key, item in value.items() if key not in _TIMES}
    return [timeless(item) for item in value] if isinstance(value, list) else value


def never() -> NoReturn:
    """Stands for a model that must not be built."""
    raise AssertionError("a replay built a model")


def unusable(tools: Sequence[Tool]) -> list[Tool]:
    """The same tools, as far as a model can see; running one is a mistake of the test."""

    def refuse(_arguments: dict[str, Any], _context: Any) -> NoReturn:
        raise AssertionError("a replay ran a tool")

    return [
        SimpleTool(tool.spec, refuse, execution_mode=tool.execution_mode, timeout_s=tool.timeout_s) for tool in tools
    ]


async def on_tape(
    deck: Deck,
    build: Callable[[], Model],
    tools: Sequence[Tool] = (),
    *,
    prompts: Sequence[str] = ("hi",),
    repeat: int = 1,
    is_streamed: bool = True,
    **agent: Any,
) -> Taped:
    """A conversation on the deck's tape."""
    model = deck.model(build, provider="scripted", name="scripted")
    taped = Agent(model, tools=[deck.tool(tool) for tool in tools], **agent)
    events: list[AgentEvent] = []
    with deck.trial(CASE, "", repeat) as tape:
        result = None
        for prompt in prompts:
            history = result.transcript.messages if result is not None else ()
            result = await taped.run(prompt, history=history, sink=events.append, with_deltas=is_streamed)
    assert result is not None
    return Taped(events, result, tape.missing, tape.unused)


async def recorded(folder: Path, model: Model, tools: Sequence[Tool] = (), **options: Any) -> Taped:
    """A run that is recorded."""
    return await on_tape(Deck(folder, [CASE], is_recording=True), lambda: model, tools, **options)


async def replayed(folder: Path, tools: Sequence[Tool] = (), **options: Any) -> Taped:
    """The same run without model and tools."""
    return await on_tape(Deck(folder, [CASE], is_replaying=True), never, unusable(tools), **options)
