"""Calls while they are recorded: noted where they begin, filled in when they have ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from seatrial.core.model import Sampling
from seatrial.recording.cassette import (
    Call,
    ListedTool,
    Listing,
    ModelCall,
    Output,
    Piece,
    Raised,
    RecordedTrial,
    Reply,
    ToolCallMade,
    ToolRequest,
    VectorsCall,
)
from seatrial.recording.said import Asked, ModelAsked, Said, ToolAsked, VectorsAsked
from seatrial.recording.tables import Tables


@dataclass(slots=True, eq=False)
class OpenCall:
    """A call from its beginning; without an ending (``is_over``) it is not kept."""

    asked: Asked
    is_over: bool = False
    raised: Raised | None = None
    reply: Reply | None = None
    stream: list[Piece] = field(default_factory=list)
    output: Output | None = None
    steps: list[str | ToolRequest] = field(default_factory=list)
    inside: list[OpenCall] = field(default_factory=list)
    vectors: str = ""
    strand: int = 0


class Strands:
    """Tells calls that are made side by side apart by the task that they are made in, in the order of first calls."""

    def __init__(self) -> None:
        self._numbers: dict[asyncio.Task[object] | None, int] = {}

    def current(self) -> int:
        """The number of the strand in which this is called; that of all other threads is one."""
        try:
            task = asyncio.current_task()
        except RuntimeError:
            task = None
        return self._numbers.setdefault(task, len(self._numbers))


@dataclass(slots=True)
class OpenTrial:
    """Everything that was called in a trial until now."""

    variant: str
    repeat: int
    calls: list[OpenCall] = field(default_factory=list)
    grading: list[OpenCall] = field(default_factory=list)
    order: list[OpenCall] = field(default_factory=list)
    listings: list[OpenListing] = field(default_factory=list)

    def closed(self, tables: Tables) -> RecordedTrial:
        """The trial with its calls numbered in the order in which they began; judges' calls metric by metric."""
        kept = _Numbered(tables)
        calls = kept.calls(self.calls)
        grading = kept.calls(sorted(self.grading, key=lambda call: call.strand))
        return RecordedTrial(
            variant=self.variant,
            repeat=self.repeat,
            listings=tuple(listing.closed(tables) for listing in self.listings),
            calls=calls,
            grading=grading,
            order=_if_mixed([kept.numbers[call] for call in self.order if call in kept.numbers]),
        )


@dataclass(slots=True)
class OpenListing:
    """What a server listed."""

    source: str
    close: Callable[[Tables], Sequence[ListedTool]]
    asked: int
    raised: Raised | None = None

    def closed(self, tables: Tables) -> Listing:
        """As it is kept."""
        return Listing(self.source, self.asked, tuple(self.close(tables)), self.raised)


class _Numbered:
    """Numbers calls and writes them down: a request that goes on from an earlier one without its messages."""

    def __init__(self, tables: Tables) -> None:
        self.numbers: dict[OpenCall, int] = {}
        self._tables = tables
        self._said: list[tuple[int, tuple[Said, ...]]] = []

    def calls(self, calls: Sequence[OpenCall]) -> tuple[Call, ...]:
        return tuple(self._closed(call) for call in calls if call.is_over)

    def _closed(self, call: OpenCall) -> Call:
        number = self.numbers[call] = len(self.numbers) + 1
        asked = call.asked
        if isinstance(asked, ModelAsked):
            return self._model_call(number, asked, call)
        if isinstance(asked, VectorsAsked):
            return VectorsCall(number, asked.embedder, asked.texts, call.vectors, call.raised)
        return self._tool_call(number, asked, call)

    def _model_call(self, number: int, asked: ModelAsked, call: OpenCall) -> ModelCall:
        continues, before = self._longest_beginning(asked.messages)
        self._said.append((number, asked.messages))
        return ModelCall(
            number=number,
            model=asked.model,
            messages=asked.messages[before:],
            continues=continues,
            instructions=self._tables.place_of_instructions(asked.instructions),
            tools=tuple([self._tables.place_of_tool(spec) for spec in asked.tools]),
            sampling=None if asked.sampling == Sampling() else asked.sampling,
            response_schema=asked.response_schema,
            reply=call.reply,
            raised=call.raised,
            stream=tuple(call.stream),
        )

    def _tool_call(self, number: int, asked: ToolAsked, call: OpenCall) -> ToolCallMade:
        return ToolCallMade(
            number=number,
            tool=asked.tool,
            arguments=asked.arguments,
            output=call.output,
            raised=call.raised,
            steps=tuple(call.steps),
            inside=self.calls(call.inside),
        )

    def _longest_beginning(self, messages: tuple[Said, ...]) -> tuple[int | None, int]:
        """The number of the earlier request with the most of the first messages, and how many those are."""
        best: tuple[int | None, int] = (None, 0)
        for number, said in self._said:
            if len(said) >= best[1] and said and messages[: len(said)] == said:
                best = (number, len(said))
        return best


def _if_mixed(order: Sequence[int]) -> tuple[int, ...]:
    """The order, or nothing when each call ended before the next began: that need not be told."""
    runs = [number for place, number in enumerate(order) if place == 0 or order[place - 1] != number]
    return () if runs == sorted(set(runs)) else tuple(order)
