"""JSON values: read strictly, compared by value."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from seatrial.errors import MetricError

_FENCE = "```"


def read_answer(text: str) -> object:
    """The JSON value that an answer is, with or without one Markdown fence around it.

    Raises `MetricError` that says where the reading ended. NaN and infinity are no JSON.
    """
    try:
        return json.loads(_without_fence(text), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise MetricError(f"the answer is no JSON: {error}") from error


def same_value(wanted: object, given: object) -> bool:
    """Equality of JSON values: 1 equals 1.0, True is no number, strings are compared in Unicode form NFC."""
    if isinstance(wanted, bool) or isinstance(given, bool):
        return wanted is given
    if isinstance(wanted, str) and isinstance(given, str):
        return unicodedata.normalize("NFC", wanted) == unicodedata.normalize("NFC", given)
    if isinstance(wanted, Mapping) and isinstance(given, Mapping):
        return wanted.keys() == given.keys() and all(same_value(wanted[key], given[key]) for key in wanted)
    if _is_list(wanted) and _is_list(given):
        return len(wanted) == len(given) and all(map(same_value, wanted, given))
    return wanted == given


def contains_value(given: object, wanted: object) -> bool:
    """Whether ``given`` has every key of ``wanted`` and, for each item of a list, an item that contains it."""
    if isinstance(wanted, Mapping):
        return isinstance(given, Mapping) and all(
            key in given and contains_value(given[key], part) for key, part in wanted.items()
        )
    if _is_list(wanted):
        return _is_list(given) and all(any(contains_value(item, part) for item in given) for part in wanted)
    return same_value(wanted, given)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _without_fence(text: str) -> str:
    whole = text.strip()
    opening, line_end, rest = whole.partition("\n")
    is_fenced = bool(line_end) and opening.startswith(_FENCE) and rest.endswith(_FENCE)
    return rest.removesuffix(_FENCE) if is_fenced and "`" not in opening.removeprefix(_FENCE) else text


def _refuse(word: str) -> object:
    raise ValueError(f"{word} is no JSON number")
