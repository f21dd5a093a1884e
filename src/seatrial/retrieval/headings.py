"""The headings of a Markdown text, with the anchors that links to them use."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading that starts at character ``start``; ``anchor`` is its name in links, as GitHub makes it."""

    start: int
    level: int
    title: str
    anchor: str


def headings_of(text: str) -> tuple[Heading, ...]:
    """The headings in order; lines inside code fences are none."""
    found: list[Heading] = []
    times: dict[str, int] = {}
    fence = ""
    position = 0
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence):
                fence = ""
        elif mark:
            fence = mark[1]
        elif (match := _HEADING.match(line)) and match[2]:
            found.append(Heading(position, len(match[1]), match[2], _anchor(match[2], times)))
        position += len(line) + 1
    return tuple(found)


def heading_at(headings: Sequence[Heading], position: int) -> Heading | None:
    """The last heading at or before ``position``."""
    index = bisect_right(headings, position, key=lambda heading: heading.start)
    return headings[index - 1] if index else None


def _anchor(title: str, times: dict[str, int]) -> str:
    base = _NOT_IN_ANCHOR.sub("", title.strip().lower()).replace(" ", "-")
    count = times.get(base, 0)
    times[base] = count + 1
    return f"{base}-{count}" if count else base
