"""Choosing pages and slides by number."""

from __future__ import annotations

from collections.abc import Sequence

from seatrial.errors import DocumentError


def chosen_pages(wanted: Sequence[int] | None, count: int, noun: str, source: str) -> list[int]:
    """The wanted numbers in their order, each once, or all; raises `DocumentError` for one that is not there."""
    if count == 0:
        raise DocumentError(f"{source} has no {noun}s")
    if wanted is None:
        return list(range(1, count + 1))
    numbers = list(dict.fromkeys(wanted))
    missing = [number for number in numbers if not 1 <= number <= count]
    if missing:
        raise DocumentError(
            f"{source} has no {pages_in_words(missing, noun)}; it has {count} {noun}{'s' if count > 1 else ''}",
            hint=f"{noun}s count from 1",
        )
    return numbers


def pages_in_words(numbers: Sequence[int], noun: str) -> str:
    """``page 3`` or ``pages 3, 4, 7``, shortened when there are many."""
    shown = ", ".join(map(str, numbers[:10])) + (" ..." if len(numbers) > 10 else "")
    return f"{noun if len(numbers) == 1 else noun + 's'} {shown}"
