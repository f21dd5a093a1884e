"""What one entry of ``expected_tools`` asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from seatrial.errors import MetricError
from seatrial.metrics.trajectory.arguments import ArgumentMatcher, matcher_of
from seatrial.metrics.trajectory.calls import MadeCall, shortened, shown_value

_KEYS = frozenset({"name", "args", "count", "max_count", "extra_args", "ignore_args", "defaults", "ok"})


@dataclass(frozen=True)
class ToolExpectation:
    """A call that must be made ``count`` times, each time by a call of its own, and at most ``max_count`` times.

    ``names`` are all names that the entry stands for. Arguments that are not named may have any value; with
    ``has_extra_args`` False there may be none, but those that match a glob of ``ignored_args``. ``defaults`` stand in
    for arguments that the call leaves out. An argument fits as the model wrote it or as the tool got it.
    With ``must_succeed`` a call that ended in an error is none.
    """

    name: str
    names: frozenset[str]
    args: Mapping[str, ArgumentMatcher] = field(default_factory=dict)
    count: int = 1
    max_count: int | None = None
    has_extra_args: bool = True
    ignored_args: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    must_succeed: bool = False

    @property
    def shown(self) -> str:
        """The expectation as people write it."""
        if not self.args:
            return self.name
        return f"{self.name}({', '.join(f'{key}: {matcher.shown}' for key, matcher in sorted(self.args.items()))})"

    async def complaints_about(self, call: MadeCall) -> tuple[str, ...]:
        """Every reason why ``call`` is not the expected one; none when it is. Names match exactly, never in part."""
        if not call.is_of(self.names):
            return (f"it is a call of {call.name}",)
        found: list[str] = []
        for key, matcher in sorted(self.args.items()):
            given = call.given(key) or ([self.defaults[key]] if key in self.defaults else [])
            if not given:
                found.append(f"{key}: not given, expected {matcher.shown}")
            elif not await _matches_any(matcher, given):
                found.append(f"{key}: {_shown_versions(given)}, expected {matcher.shown}")
        if self.must_succeed and call.is_error:
            found.append("it ended in an error")
        if not self.has_extra_args:
            extra = sorted(key for key in call.arguments if key not in self.args and not self._is_ignored(key))
            found += [
                f"{key}: {shortened(shown_value(call.arguments[key]))}, expected not to be given" for key in extra
            ]
        return tuple(found)

    def _is_ignored(self, key: str) -> bool:
        return any(fnmatchcase(key, glob) for glob in self.ignored_args)


def expectation_of(
    entry: str | Mapping[str, Any] | ToolExpectation, aliases: Mapping[str, frozenset[str]]
) -> ToolExpectation:
    """The expectation that an entry of an agent file stands for: a name, or a map with ``name``, ``args``, ``count``.

    Raises `MetricError` for what cannot be meant.
    """
    if isinstance(entry, ToolExpectation):
        return entry
    if isinstance(entry, str):
        return ToolExpectation(entry, _names(entry, aliases))
    unknown = set(entry) - _KEYS
    if unknown or not isinstance(entry.get("name"), str):
        raise MetricError(
            f"an expected tool is a name or a map with a name, not {shown_value(dict(entry))}",
            hint=f"its keys are {', '.join(sorted(_KEYS))}",
        )
    name = entry["name"]
    expectation = ToolExpectation(
        name,
        _names(name, aliases),
        {key: matcher_of(plain) for key, plain in (entry.get("args") or {}).items()},
        _count(entry, "count", 0 if entry.get("max_count") == 0 else 1),
        _max_count(entry),
        entry.get("extra_args", True),
        tuple(entry.get("ignore_args") or ()),
        dict(entry.get("defaults") or {}),
        entry.get("ok", False) is True,
    )
    if expectation.max_count is not None and expectation.max_count < expectation.count:
        raise MetricError(f"expected tool {name}: max_count is less than count")
    return expectation


async def _matches_any(matcher: ArgumentMatcher, values: Sequence[Any]) -> bool:
    for value in values:
        if await matcher.matches(value):
            return True
    return False


def _shown_versions(given: Sequence[Any]) -> str:
    """An argument as the model wrote it, and as the tool got it where that is another value."""
    *ran_with, written = [shortened(shown_value(value)) for value in given]
    return f"{written} (run with {ran_with[0]})" if ran_with and ran_with[0] != written else written


def _names(name: str, aliases: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset({name}) | aliases.get(name, frozenset())


def _max_count(entry: Mapping[str, Any]) -> int | None:
    """``count: 0`` alone means that the call must not be made."""
    if entry.get("max_count") is not None:
        return _count(entry, "max_count", 0)
    return 0 if entry.get("count") == 0 else None


def _count(entry: Mapping[str, Any], key: str, default: int) -> int:
    count = entry.get(key, default)
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise MetricError(f"expected tool {entry['name']}: {key} is a whole number from 0 upwards, not {count!r}")
    return count
