"""Expected tool calls against the calls that were made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.trajectory.assignment import Pairing, best_assignment, longest_in_order
from seatrial.metrics.trajectory.calls import MadeCall, calls_of
from seatrial.metrics.trajectory.comparison import Comparison
from seatrial.metrics.trajectory.expectation import ToolExpectation, expectation_of

Order = Literal["any", "in_order", "exact", "subset", "superset"]
ScoreMode = Literal["coverage", "f1", "binary"]
_ORDERS = ("any", "in_order", "exact", "subset", "superset")
_MODES = ("coverage", "f1", "binary")
Entry = str | Mapping[str, Any] | ToolExpectation


class ExpectedTools:
    """How far the calls of a trial are the expected ones: 1 when everything holds.

    Expected calls are a multiset; each needs a call of its own, found by best assignment. ``order``: ``any`` (also
    called ``superset``) allows other calls between and after; ``in_order`` keeps the order of the list; ``exact``
    allows these calls in this order only; ``subset`` allows no other calls, but not all need to be made. An empty list
    allows no call; None checks the other rules only.

    ``forbidden`` are calls that must not be made, ``min_calls`` and ``max_calls`` limit their number, with
    ``in_one_turn`` all expected calls must come in one reply, with ``ignore_failed`` calls that ended in an error are
    left out. ``aliases`` are further names that a name stands for, exactly.

    ``score``: ``coverage`` is the share of expected calls that were made, a call that is not allowed counting like one
    that is missing; ``f1`` the F1 score of calls (over the longest common subsequence where order counts, else over
    multisets); ``binary`` 1 or 0. A forbidden call or a broken limit makes each of them 0.
    """

    def __init__(
        self,
        *,
        expected: Sequence[Entry] | None = None,
        order: Order = "any",
        forbidden: Sequence[Entry] = (),
        min_calls: int = 0,
        max_calls: int | None = None,
        in_one_turn: bool = False,
        ignore_failed: bool = False,
        score: ScoreMode = "coverage",
        aliases: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        if order not in _ORDERS:
            raise MetricError(f"expected_tools has no order {order!r}", hint=f"one of {', '.join(_ORDERS)}")
        if score not in _MODES:
            raise MetricError(f"expected_tools has no score {score!r}", hint=f"one of {', '.join(_MODES)}")
        names = aliases or {}
        entries = None if expected is None else [expectation_of(entry, names) for entry in expected]
        self.name = "tool_f1" if score == "f1" else "expected_tools"
        self._is_ordered = order in ("in_order", "exact")
        self._is_closed = order in ("exact", "subset") or entries == []
        self._need_all = order != "subset"
        self._entries = entries if entries is None or self._is_ordered else sorted(entries, key=_canonical)
        self._forbidden = sorted((expectation_of(entry, names) for entry in forbidden), key=_canonical)
        self._min_calls, self._max_calls = min_calls, max_calls
        self._in_one_turn = in_one_turn
        self._ignore_failed = ignore_failed
        self._score: ScoreMode = score

    async def measure(self, evidence: Evidence) -> Measurement:
        """0 to 1; the reason names what is missing, extra and forbidden, the details hold the whole pairing."""
        if not self._checks_something:
            return Measurement(None, "no tool is expected, forbidden or limited")
        calls = calls_of(evidence.messages, evidence.tools)
        if self._ignore_failed:
            calls = [call for call in calls if not call.is_error]
        comparison = await self._compare(calls)
        value = 0.0 if comparison.violations else self._value(comparison)
        return Measurement(value, comparison.told, comparison.details)

    @property
    def _checks_something(self) -> bool:
        return bool(self._entries is not None or self._forbidden or self._min_calls or self._max_calls is not None)

    async def _compare(self, calls: Sequence[MadeCall]) -> Comparison:
        slots = [entry for entry in self._entries or () for _ in range(entry.count)]
        complaints = await _complaints(slots, calls)
        pairing = self._pair(slots, calls, complaints)
        forbidden = [place for place, call in enumerate(calls) if await self._is_forbidden(call)]
        return Comparison(
            slots=tuple(slots),
            calls=tuple(calls),
            pairing=pairing,
            complaints=complaints,
            violations=(
                *(f"forbidden: #{calls[place].number} {calls[place].shown}" for place in forbidden),
                *await self._broken_limits(calls),
            ),
            forbidden=frozenset(forbidden),
            need_all=self._need_all,
            is_closed=self._is_closed,
            has_expectation=self._entries is not None,
        )

    def _pair(self, slots: Sequence[ToolExpectation], calls: Sequence[MadeCall], complaints: Complaints) -> Pairing:
        if not self._in_one_turn:
            return self._pair_among(slots, calls, range(len(calls)), complaints)
        turns = sorted({call.turn for call in calls})
        groups = [[place for place, call in enumerate(calls) if call.turn == turn] for turn in turns]
        return max((self._pair_among(slots, calls, group, complaints) for group in groups), key=len, default={})

    def _pair_among(
        self, slots: Sequence[ToolExpectation], calls: Sequence[MadeCall], places: Sequence[int], complaints: Complaints
    ) -> Pairing:
        """Where the order is free, calls that succeeded before those that did not."""
        pair = longest_in_order if self._is_ordered else best_assignment
        if not self._is_ordered:
            places = sorted(places, key=lambda place: calls[place].is_error)
        found = pair(len(slots), len(places), lambda slot, place: not complaints[slot, places[place]])
        return {slot: places[place] for slot, place in found.items()}

    async def _is_forbidden(self, call: MadeCall) -> bool:
        for entry in self._forbidden:
            if not await entry.complaints_about(call):
                return True
        return False

    async def _broken_limits(self, calls: Sequence[MadeCall]) -> tuple[str, ...]:
        found: list[str] = []
        for entry in self._entries or ():
            matching = [call for call in calls if not await entry.complaints_about(call)]
            if entry.max_count is not None and len(matching) > entry.max_count:
                found.append(f"{entry.shown} was called {len(matching)} times, at most {entry.max_count} allowed")
        if len(calls) < self._min_calls:
            found.append(f"{len(calls)} calls, at least {self._min_calls} expected")
        if self._max_calls is not None and len(calls) > self._max_calls:
            found.append(f"{len(calls)} calls, at most {self._max_calls} allowed")
        return tuple(found)

    def _value(self, comparison: Comparison) -> float:
        match self._score:
            case "coverage":
                return comparison.coverage
            case "f1":
                return comparison.f1
            case "binary":
                return float(comparison.coverage == 1.0)


Complaints = dict[tuple[int, int], tuple[str, ...]]


async def _complaints(slots: Sequence[ToolExpectation], calls: Sequence[MadeCall]) -> Complaints:
    known: Complaints = {}
    for slot, entry in enumerate(slots):
        for place, call in enumerate(calls):
            is_copy = slot > 0 and slots[slot - 1] is entry
            known[slot, place] = known[slot - 1, place] if is_copy else await entry.complaints_about(call)
    return known


def _canonical(entry: ToolExpectation) -> tuple[str, str]:
    return entry.name, entry.shown
