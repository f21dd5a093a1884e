"""The tables of a cassette: instructions and tools stand there once, and calls name their places."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from seatrial.core.model import ToolSpec
from seatrial.recording.cassette import Call, Cassette, Listing, ModelCall, RecordedTrial, ToolCallMade


class Tables:
    """Tables that are being filled: what is in already keeps its place. ``mask`` takes secrets out of instructions."""

    def __init__(self, cassette: Cassette, mask: Callable[[str], str] = str) -> None:
        self._mask = mask
        self.instructions: list[tuple[str, ...]] = list(cassette.instructions)
        self.tools: list[ToolSpec] = list(cassette.tools)

    def place_of_instructions(self, text: str) -> int | None:
        """Where the text stands; None for an empty one."""
        if not text:
            return None
        lines = tuple(self._mask(text).split("\n"))
        if lines not in self.instructions:
            self.instructions.append(lines)
        return self.instructions.index(lines)

    def place_of_tool(self, spec: ToolSpec) -> int:
        """Where the tool stands."""
        if spec not in self.tools:
            self.tools.append(spec)
        return self.tools.index(spec)


def with_trial(cassette: Cassette, trial: RecordedTrial, tables: Tables) -> Cassette:
    """The cassette with the trial in the place of an older one of the same variant and number; ``tables`` are its.

    Trials are in the order of their names, and the tables in the order in which the trials use them: what is recorded
    does not depend on which trial was done first.
    """
    others = [one for one in cassette.trials if (one.variant, one.repeat) != (trial.variant, trial.repeat)]
    trials = sorted([*others, trial], key=lambda one: (one.variant, one.repeat))
    used = _Used()
    moved = [used.moved(one) for one in trials]
    return msgspec.structs.replace(
        cassette,
        trials=tuple(moved),
        instructions=tuple([tables.instructions[place] for place in used.instructions]),
        tools=tuple([tables.tools[place] for place in used.tools]),
    )


class _Used:
    """Gives each place of the old tables its place in the new ones, in the order of use."""

    def __init__(self) -> None:
        self.instructions: dict[int, int] = {}
        self.tools: dict[int, int] = {}

    def moved(self, trial: RecordedTrial) -> RecordedTrial:
        return msgspec.structs.replace(
            trial,
            listings=tuple([self._listing(listing) for listing in trial.listings]),
            calls=self._calls(trial.calls),
            grading=self._calls(trial.grading),
        )

    def _calls(self, calls: Sequence[Call]) -> tuple[Call, ...]:
        return tuple([self._call(call) for call in calls])

    def _call(self, call: Call) -> Call:
        if isinstance(call, ToolCallMade) and call.inside:
            return msgspec.structs.replace(call, inside=self._calls(call.inside))
        if not isinstance(call, ModelCall):
            return call
        place = call.instructions
        return msgspec.structs.replace(
            call,
            instructions=None if place is None else self.instructions.setdefault(place, len(self.instructions)),
            tools=tuple([self._tool(place) for place in call.tools]),
        )

    def _listing(self, listing: Listing) -> Listing:
        tools = [msgspec.structs.replace(tool, spec=self._tool(tool.spec)) for tool in listing.tools]
        return msgspec.structs.replace(listing, tools=tuple(tools))

    def _tool(self, place: int) -> int:
        return self.tools.setdefault(place, len(self.tools))
