"""The coercions that models need and that lose nothing: ``"3"`` to 3, ``"x"`` to ``["x"]``, where the schema asks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

    Path = Sequence[str | int]

WHOLE_NUMBER = re.compile(r"(-?(?:0|[1-9]\d{0,300}))(?:\.0+)?", re.ASCII)
NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,300})(?:\.\d{1,300})?(?:[eE][+-]?\d{1,4})?", re.ASCII)
NOT_COERCED = object()


def copy_json(value: Any) -> Any:
    """A deep copy of a JSON value."""
    if isinstance(value, dict):
        return {key: copy_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copy_json(item) for item in value]
    return value


def mend(value: Any, error: ValidationError, left_out: list[str]) -> bool:
    """Mends in ``value`` what one error complains of, when that loses nothing; says whether it did.

    Arguments that the schema does not allow are taken out and their names added to ``left_out``.
    """
    name, path = error.kind.name, error.instance_path
    if name == "type":
        return _coerce_at(value, path, error.kind.value)
    if name == "additionalProperties":
        return _leave_out(value, path, error.kind.value, left_out)
    if name in ("anyOf", "oneOf"):
        return any(_mend_branch(value, path, branch) for branch in error.kind.value)
    return False


def make_whole(validator: Validator, value: Any) -> None:
    """Turns 3.0 into 3 in ``value`` wherever the schema would refuse 3.5."""
    for path in list(_whole_floats(value, ())):
        place, key = _place(value, path)
        whole = place[key]
        place[key] = whole + 0.5 if abs(whole) < 2**51 else 0.5
        is_refused = not validator.is_valid(value)
        place[key] = int(whole) if is_refused else whole


def _coerce_at(value: Any, path: Path, types: Sequence[str]) -> bool:
    if not path:
        return False
    place, key = _place(value, path)
    for wanted in types:
        coerce = COERCIONS.get(wanted)
        coerced = NOT_COERCED if coerce is None else coerce(place[key])
        if coerced is not NOT_COERCED:
            place[key] = coerced
            return True
    return False


def _leave_out(value: Any, path: Path, names: Sequence[str], left_out: list[str]) -> bool:
    place = value
    for step in path:
        place = place[step]
    for name in names:
        place.pop(name, None)
        left_out.append(path_text([*path, name]))
    return True


def _mend_branch(value: Any, path: Path, branch: Sequence[ValidationError]) -> bool:
    """Whether every error of one alternative is a type that could be coerced, and now is."""
    if not path or not branch or any(error.kind.name != "type" for error in branch):
        return False
    place, key = _place(value, path)
    before = copy_json(place[key])
    are_mended = [_coerce_at(value, error.instance_path, error.kind.value) for error in branch]
    if all(are_mended):
        return True
    place[key] = before
    return False


def _place(value: Any, path: Path) -> tuple[Any, str | int]:
    for step in path[:-1]:
        value = value[step]
    return value, path[-1]


def _whole_floats(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, float):
        if value.is_integer():
            yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _whole_floats(item, (*path, key))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from _whole_floats(item, (*path, position))


def _to_integer(value: Any) -> Any:
    found = WHOLE_NUMBER.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) if found else NOT_COERCED


def _to_number(value: Any) -> Any:
    if not isinstance(value, str) or not NUMBER.fullmatch(value):
        return NOT_COERCED
    if WHOLE_NUMBER.fullmatch(value) and "." not in value:
        return int(value)
    number = float(value)
    return number if math.isfinite(number) else NOT_COERCED


def _to_boolean(value: Any) -> Any:
    known = {"true": True, "false": False}
    return known.get(value.lower(), NOT_COERCED) if isinstance(value, str) else NOT_COERCED


def _to_array(value: Any) -> Any:
    if value is None:
        return NOT_COERCED
    decoded = _decoded(value, "[")
    return decoded if isinstance(decoded, list) else [value]


def _to_object(value: Any) -> Any:
    decoded = _decoded(value, "{")
    return decoded if isinstance(decoded, dict) else NOT_COERCED


def _decoded(value: Any, opening: str) -> Any:
    if not isinstance(value, str) or not value.lstrip().startswith(opening):
        return NOT_COERCED
    try:
        return msgspec.json.decode(value.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return NOT_COERCED


COERCIONS: dict[str, Callable[[Any], Any]] = {
    "integer": _to_integer,
    "number": _to_number,
    "boolean": _to_boolean,
    "array": _to_array,
    "object": _to_object,
}


def path_text(path: Path) -> str:
    """A path as people write it: ``order.items[0].price``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
