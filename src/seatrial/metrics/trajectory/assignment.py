"""Pairing expected calls with made ones, as many as can be."""

from __future__ import annotations

from collections.abc import Callable

Fits = Callable[[int, int], bool]
Pairing = dict[int, int]


def best_assignment(slots: int, calls: int, fits: Fits) -> Pairing:
    """A largest pairing slot -> call in which each call serves one slot.

    Maximum bipartite matching by augmenting paths (Kuhn 1955; Berge 1957): its size does not depend on any order.
    """
    slot_of: dict[int, int] = {}
    for slot in range(slots):
        _augment(slot, calls, fits, slot_of)
    return {slot: call for call, slot in slot_of.items()}


def _augment(start: int, calls: int, fits: Fits, slot_of: dict[int, int]) -> None:
    """Finds a call for ``start``, moving slots that already have one to other calls where that helps."""
    came_from: dict[int, int] = {}
    waiting = [start]
    for slot in waiting:
        for call in range(calls):
            if call in came_from or not fits(slot, call):
                continue
            came_from[call] = slot
            if call not in slot_of:
                _shift(call, start, came_from, slot_of)
                return
            waiting.append(slot_of[call])


def _shift(call: int, start: int, came_from: dict[int, int], slot_of: dict[int, int]) -> None:
    call_of = {slot: taken for taken, slot in slot_of.items()}
    while True:
        slot = came_from[call]
        freed = call_of.get(slot)
        slot_of[call] = slot
        if slot == start or freed is None:
            return
        call = freed


def longest_in_order(slots: int, calls: int, fits: Fits) -> Pairing:
    """A largest pairing slot -> call that keeps the order of both (longest common subsequence)."""
    best = [[0] * (calls + 1) for _ in range(slots + 1)]
    for slot in range(slots - 1, -1, -1):
        for call in range(calls - 1, -1, -1):
            skipped = max(best[slot + 1][call], best[slot][call + 1])
            taken = best[slot + 1][call + 1] + 1 if fits(slot, call) else 0
            best[slot][call] = max(skipped, taken)
    pairing: Pairing = {}
    slot = call = 0
    while slot < slots and call < calls:
        if fits(slot, call) and best[slot][call] == best[slot + 1][call + 1] + 1:
            pairing[slot] = call
            slot, call = slot + 1, call + 1
        elif best[slot + 1][call] >= best[slot][call + 1]:
            slot += 1
        else:
            call += 1
    return pairing
