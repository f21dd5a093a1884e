"""The outcome of comparing expected with made calls, in numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from seatrial.metrics.trajectory.assignment import Pairing
from seatrial.metrics.trajectory.calls import MadeCall
from seatrial.metrics.trajectory.expectation import ToolExpectation


@dataclass(frozen=True)
class Comparison:
    """Expected calls (``slots``), made calls, which serves which (places in both), and the broken rules.

    ``complaints`` says for each slot and call why they do not fit, nothing where they do. ``need_all``: every slot must
    be served; ``is_closed``: every call must serve a slot. ``forbidden`` are the places of calls that must not be made.
    """

    slots: tuple[ToolExpectation, ...]
    calls: tuple[MadeCall, ...]
    pairing: Pairing
    complaints: Mapping[tuple[int, int], tuple[str, ...]]
    violations: tuple[str, ...]
    forbidden: frozenset[int]
    need_all: bool
    is_closed: bool
    has_expectation: bool

    @property
    def coverage(self) -> float:
        """Share of expected calls that were made; a call that is not allowed counts like one that was not."""
        needed = len(self.slots) if self.need_all else len(self.pairing)
        rules = needed + (len(self.extra) if self.is_closed else 0)
        return len(self.pairing) / rules if rules else 1.0

    @property
    def f1(self) -> float:
        """Harmonic mean of two shares: expected calls that were made, made calls that were expected."""
        both = len(self.slots) + len(self.calls)
        return 2 * len(self.pairing) / both if both else 1.0

    @cached_property
    def missing(self) -> tuple[int, ...]:
        """Slots without a call, where all are needed."""
        return tuple(slot for slot in range(len(self.slots)) if slot not in self.pairing) if self.need_all else ()

    @cached_property
    def extra(self) -> tuple[MadeCall, ...]:
        """Calls that serve no slot."""
        return tuple(self.calls[place] for place in self._extra_places)

    @cached_property
    def _extra_places(self) -> tuple[int, ...]:
        taken = set(self.pairing.values())
        return tuple(place for place in range(len(self.calls)) if place not in taken)

    @property
    def told(self) -> str:
        """What a person wants to know: a line for each expected call that is not there, then what came besides."""
        lines = [self._told_missing(slot) for slot in self.missing] + list(self.violations)
        if not lines or (self.missing and len(self.slots) > 1):
            lines.insert(0, self._headline)
        lines += [f"ended in an error: #{call.number} {call.shown}" for call in self._failed]
        told = {self._nearest(slot) for slot in self.missing} | self.forbidden
        besides = [self.calls[place].shown for place in self._extra_places if place not in told]
        if besides:
            lines.append(f"{'not allowed' if self.is_closed else 'also called'}: {', '.join(besides)}")
        return "\n".join(filter(None, lines))

    @property
    def _failed(self) -> list[MadeCall]:
        """Calls that serve a slot although they ended in an error."""
        return [self.calls[place] for _, place in sorted(self.pairing.items()) if self.calls[place].is_error]

    @property
    def _headline(self) -> str:
        if self.slots:
            return f"{len(self.pairing)} of {len(self.slots)} expected calls made"
        return "no call expected" if self.has_expectation else ""

    @property
    def details(self) -> dict[str, Any]:
        """The whole pairing as a JSON value."""
        pairs = [
            {"expected": self.slots[slot].shown, "call": self.calls[place].number, "called": self.calls[place].shown}
            for slot, place in sorted(self.pairing.items())
        ]
        missing = [{"expected": self.slots[slot].shown, "nearest": self._told_nearest(slot)} for slot in self.missing]
        extra = [{"call": call.number, "called": call.shown} for call in self.extra]
        return {"pairs": pairs, "missing": missing, "extra": extra, "violations": list(self.violations)}

    def _told_missing(self, slot: int) -> str:
        wanted, nearest = self.slots[slot], self._told_nearest(slot)
        if nearest is not None:
            return f"{wanted.name}, {nearest}"
        is_used_up = any(call.is_of(wanted.names) for call in self.calls)
        return f"{wanted.shown}: {'no further call' if is_used_up else 'not called'}"

    def _told_nearest(self, slot: int) -> str | None:
        place = self._nearest(slot)
        if place is None:
            return None
        difference = "; ".join(self.complaints[slot, place]) or "comes in the wrong place"
        return f"call #{self.calls[place].number}: {difference}"

    def _nearest(self, slot: int) -> int | None:
        """The call of that tool that serves no other slot and differs in the fewest arguments, the first of several."""
        candidates = [place for place in self._extra_places if self.calls[place].is_of(self.slots[slot].names)]
        return min(candidates, key=lambda place: len(self.complaints[slot, place]), default=None)
