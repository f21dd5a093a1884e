"""Rules over several keys of one block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seatrial.config.entity import Problem


def given(key: str) -> dict[str, Any]:
    """The JSON Schema of a block in which the key has a value."""
    return {"required": [key], "properties": {key: {"not": {"type": "null"}}}}


def at_most_one(values: Mapping[str, Any], keys: Sequence[str], called: str) -> Iterator[Problem]:
    """A finding at the second of two keys that exclude each other."""
    given = [key for key in values if key in keys]
    if len(given) > 1:
        shown = " and ".join(f"`{key}`" for key in given)
        yield Problem("ST201", f"{called} has {shown}; they exclude each other", (given[1],), "keep one of them")


def exactly_one(
    values: Mapping[str, Any], keys: Sequence[str], called: str, hint: str | None = None
) -> Iterator[Problem]:
    """A finding when two of the keys are given, or none."""
    yield from at_most_one(values, keys, called)
    if not any(key in values for key in keys):
        shown = " or ".join(f"`{key}`" for key in keys)
        yield Problem("ST202", f"{called} needs {shown}", hint=hint)


def exactly_one_given(*keys: str) -> dict[str, Any]:
    """The JSON Schema that says the same as `exactly_one`."""
    return {"oneOf": [given(key) for key in keys]}
