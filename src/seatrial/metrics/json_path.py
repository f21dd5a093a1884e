"""A small JSONPath: ``$.orders[0].status``, ``$['odd key']``, ``$..price``, ``$.items[*].id``, ``[-1]``.

Source: RFC 9535, the segments of its section 2.5 with name, wildcard and index selectors; no slices and no filters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from seatrial.errors import MetricError

_SEGMENT = re.compile(
    r"""(?P<dots>\.\.?)(?:(?P<name>[^\s.\[\]'"*]+)|(?P<star>\*))
      | (?P<deep>\.\.)?\[\s*(?:
            (?P<index>-?\d+)
          | (?P<any>\*)
          | '(?P<single>(?:\\.|[^'\\])*)'
          | "(?P<double>(?:\\.|[^"\\])*)"
        )\s*\]
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)")


@dataclass(frozen=True)
class _Step:
    """``key`` None selects every child; ``is_deep`` looks at all depths."""

    key: str | int | None
    is_deep: bool


@dataclass(frozen=True)
class JsonPath:
    """A compiled path."""

    text: str
    steps: tuple[_Step, ...]

    def find(self, value: object) -> list[object]:
        """Every value that the path leads to, in document order; empty when it leads nowhere."""
        found = [value]
        for step in self.steps:
            places = [place for item in found for place in (_descendants(item) if step.is_deep else (item,))]
            found = [child for place in places for child in _children(place, step.key)]
        return found


def compile_path(text: str) -> JsonPath:
    """The path that ``text`` writes; the leading ``$`` may be left out. Raises `MetricError`."""
    rest = text.strip().removeprefix("$")
    if rest and rest[0] not in ".[":
        rest = f".{rest}"
    steps = []
    position = 0
    while position < len(rest):
        found = _SEGMENT.match(rest, position)
        if found is None:
            raise MetricError(
                f"{text!r} is no JSON path: cannot read {rest[position:]!r}",
                hint="write it like $.orders[0].status, $['odd key'], $.items[*].id or $..price",
            )
        steps.append(_step(found))
        position = found.end()
    return JsonPath(text, tuple(steps))


def _step(found: re.Match[str]) -> _Step:
    is_deep = found["dots"] == ".." or found["deep"] is not None
    if found["index"] is not None:
        return _Step(int(found["index"]), is_deep)
    if found["star"] or found["any"]:
        return _Step(None, is_deep)
    quoted = found["single"] if found["single"] is not None else found["double"]
    return _Step(found["name"] if quoted is None else _ESCAPE.sub(r"\1", quoted), is_deep)


def _children(value: object, key: str | int | None) -> Iterator[object]:
    if isinstance(value, Mapping):
        if key is None:
            yield from value.values()
        elif isinstance(key, str) and key in value:
            yield value[key]
    elif isinstance(value, list):
        if key is None:
            yield from value
        elif isinstance(key, int) and -len(value) <= key < len(value):
            yield value[key]


def _descendants(value: object) -> Iterator[object]:
    yield value
    children = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for child in children:
        yield from _descendants(child)
