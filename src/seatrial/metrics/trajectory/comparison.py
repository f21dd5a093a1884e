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

    ``complaints`` says for each slot and call why they do not fit, None where they do. ``need_all``: every slot must be
    served; ``is_closed``: every call must serve a slot.
    """

    slots: tuple[ToolExpectation, ...]
    calls: tuple[MadeCall, ...]
    pairing: Pairing
    complaints: Mapping[tuple[int, int], str | None]
    violations: tuple[str, ...]
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
        taken = set(self.pairing.values())
        return tuple(call for place, call in enumerate(self.calls) if place not in taken)

    @property
    def sentence(self) -> str:
        """What a person wants to know first."""
        parts = []
        if self.slots:
            parts.append(f"{len(self.pairing)} of {len(self.slots)} expected calls made")
        elif self.has_expectation:
            parts.append("no call expected")
        if self.missing:
            parts.append("missing: " + "; ".join(self._told_missing(slot) for slot in self.missing))
        parts += self.violations
        if self.extra:
            parts.append(f"{self._extra_title}: " + ", ".join(call.shown for call in self.extra))
        return "; ".join(parts)

    @property
    def _extra_title(self) -> str:
        return "not allowed" if self.is_closed else "also called"

    @property
    def details(self) -> dict[str, Any]:
        """The whole pairing as a JSON value."""
        pairs = [
            {"expected": self.slots[slot].shown, "call": self.calls[place].number, "called": self.calls[place].shown}
            for slot, place in sorted(self.pairing.items())
        ]
        missing = [{"expected": self.slots[slot].shown, "nearest": self._nearest(slot)} for slot in self.missing]
        extra = [{"call": call.number, "called": call.shown} for call in self.extra]
        return {"pairs": pairs, "missing": missing, "extra": extra, "violations": list(self.violations)}

    def _told_missing(self, slot: int) -> str:
        nearest = self._nearest(slot)
        return f"{self.slots[slot].shown} ({nearest})" if nearest else self.slots[slot].shown

    def _nearest(self, slot: int) -> str | None:
        """The first call of that tool that serves no other slot, and what is wrong with it."""
        taken = set(self.pairing.values())
        for place, call in enumerate(self.calls):
            if place in taken or call.name not in self.slots[slot].names:
                continue
            complaint = self.complaints[slot, place]
            return f"#{call.number} {complaint}" if complaint else f"#{call.number} comes in the wrong place"
        return None
