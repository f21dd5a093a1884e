"""From a JSON or YAML value to its records, along a path with dots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from seatrial.documents.base import Record
from seatrial.errors import DocumentError


def follow_record_path(value: Any, path: str | None, source: str) -> Iterator[Record]:
    """The records at ``path``, numbered in order; lists on the way are walked through.

    Without a path the records are the value itself when it is a list, the only list of objects inside an object, or
    the object as a single record. Raises `DocumentError` when the path leads nowhere.
    """
    steps = path.split(".") if path else _only_list(value)
    found = _walk(value, steps, (), source, path or "")
    for number, (item, enclosing) in enumerate(found, start=1):
        yield Record(_fields(item), f"record {number}", None, enclosing)


def _only_list(value: Any) -> list[str]:
    if not isinstance(value, Mapping):
        return []
    lists = [key for key, item in value.items() if _is_list_of_objects(item)]
    return lists if len(lists) == 1 else []


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _walk(
    value: Any, steps: list[str], enclosing: tuple[Mapping[str, Any], ...], source: str, path: str
) -> Iterator[tuple[Any, tuple[Mapping[str, Any], ...]]]:
    if isinstance(value, list):
        for item in value:
            yield from _walk(item, steps, enclosing, source, path)
        return
    if not steps:
        yield value, enclosing
        return
    if not isinstance(value, Mapping) or steps[0] not in value:
        raise _leads_nowhere(value, steps[0], source, path)
    yield from _walk(value[steps[0]], steps[1:], (*enclosing, value), source, path)


def _leads_nowhere(value: Any, step: str, source: str, path: str) -> DocumentError:
    if isinstance(value, Mapping):
        known = ", ".join(map(str, list(value)[:10])) or "none"
        return DocumentError(f"{source}: record_path {path!r} stops at {step!r}", hint=f"the keys there are: {known}")
    kind = type(value).__name__
    return DocumentError(f"{source}: record_path {path!r} stops at {step!r}: there is a {kind}, not an object")


def _fields(item: Any) -> Mapping[str, Any]:
    if isinstance(item, Mapping):
        return item
    return {"text" if isinstance(item, str) else "value": item}
