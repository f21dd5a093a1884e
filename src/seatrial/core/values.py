"""Any Python value in JSON's terms."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping, Set
from datetime import date, datetime, time
from enum import Enum
from types import ModuleType
from typing import Any

import msgspec

from seatrial.core.text import clean_text

_DEEPEST = 60


def plain(value: Any) -> Any:
    """``value`` as dicts with text keys, lists, text, finite numbers, true, false and null; never the value's own data.

    Text is cleaned of what no wire can carry. Dates are ISO 8601, decimals keep their digits as text, sets are sorted,
    numbers that JSON lacks are text. Never raises, unless an object's own way to show itself does.
    """
    return _plain(value, ())


def text_of_value(value: Any) -> str:
    """Text as it is, everything else as JSON."""
    return text_of_plain(plain(value))


def text_of_plain(as_json: Any) -> str:
    """The same for a value that is in JSON's terms already."""
    return as_json if isinstance(as_json, str) else json.dumps(as_json, ensure_ascii=False, allow_nan=False)


def _plain(value: Any, parents: tuple[int, ...]) -> Any:
    kind = type(value)
    if kind is str:
        return clean_text(value)
    if value is None or kind is bool or kind is int:
        return value
    if kind is not dict and kind is not list:
        return _plain_scalar(value, parents)
    return _plain_container(value, parents)


def _plain_scalar(value: Any, parents: tuple[int, ...]) -> Any:
    if isinstance(value, Enum):
        return _plain(value.value, parents)
    if isinstance(value, str):
        return clean_text(str(value))
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _unwritable_number(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray | memoryview):
        return _text_of_bytes(bytes(value))
    return _plain_container(value, parents)


def _unwritable_number(value: float) -> str:
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _text_of_bytes(data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return f"({len(data)} bytes of binary data)"
    return f"({len(data)} bytes of binary data)" if "\x00" in text else text


def _plain_container(value: Any, parents: tuple[int, ...]) -> Any:
    if id(value) in parents:
        return "(refers to itself)"
    if len(parents) >= _DEEPEST:
        return "(nested too deep)"
    inside = (*parents, id(value))
    fields = _fields_of(value)
    if fields is not None:
        return _plain_mapping(fields, inside)
    if isinstance(value, Set):
        return sorted((_plain(item, inside) for item in value), key=_sort_key)
    if isinstance(value, list | tuple | range) or _is_view(value):
        return [_plain(item, inside) for item in value]
    unboxed = _unboxed(value)
    return _plain(unboxed, inside) if unboxed is not value else _text_of_object(value, inside)


def _fields_of(value: Any) -> Mapping[Any, Any] | None:
    """The named parts of mappings, data classes, named tuples, msgspec, Pydantic and attrs objects."""
    if isinstance(value, Mapping):
        return value
    if isinstance(value, type | list):
        return None
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, msgspec.Struct):
        return _fields_of_struct(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value, strict=True))
    attributes = getattr(type(value), "__attrs_attrs__", None)
    if attributes is not None:
        return {attribute.name: getattr(value, attribute.name) for attribute in attributes}
    dump = getattr(value, "model_dump", None)
    dumped = dump() if callable(dump) else None
    return dumped if isinstance(dumped, Mapping) else None


def _fields_of_struct(value: msgspec.Struct) -> dict[str, Any]:
    config = value.__struct_config__
    tag = {} if config.tag is None else {str(config.tag_field): config.tag}
    names = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
    return tag | {shown: getattr(value, name) for shown, name in names}


def _plain_mapping(fields: Mapping[Any, Any], inside: tuple[int, ...]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for key, item in fields.items():
        name = clean_text(key) if type(key) is str else _key_text(key)
        named[name if name not in named else repr(key)] = _plain(item, inside)
    return named


def _key_text(key: Any) -> str:
    return clean_text(str(key)) if isinstance(key, tuple | frozenset) else text_of_value(key)


def _is_view(value: Any) -> bool:
    return type(value).__name__ in {"dict_keys", "dict_values", "dict_items", "deque"} and isinstance(value, Iterable)


def _unboxed(value: Any) -> Any:
    """Arrays, tensors and table frames in Python's own types; any other object unchanged."""
    if isinstance(value, type):
        return value
    if hasattr(value, "columns") and callable(getattr(value, "to_dicts", None)):
        return value.to_dicts()
    if hasattr(value, "columns") and callable(getattr(value, "to_dict", None)):
        return value.to_dict(orient="records")
    if callable(getattr(value, "model_dump", None)):
        return value.model_dump()
    if callable(getattr(value, "tolist", None)):
        return value.tolist()
    return value


def _text_of_object(value: Any, inside: tuple[int, ...]) -> Any:
    """What the object says of itself; its public attributes when it says nothing but its address."""
    if isinstance(value, BaseException):
        return clean_text(f"{type(value).__name__}: {value}")
    kind: Any = type(value)
    says_nothing = kind.__repr__ is object.__repr__ and kind.__str__ is object.__str__
    if says_nothing and not isinstance(value, ModuleType):
        parts = {name: part for name, part in getattr(value, "__dict__", {}).items() if not name.startswith("_")}
        return _plain_mapping(parts, inside) if parts else f"({type(value).__name__} object)"
    return clean_text(str(value))


def _sort_key(item: Any) -> tuple[str, Any]:
    if isinstance(item, int | float):
        return ("", item)
    return (type(item).__name__, item if isinstance(item, str) else json.dumps(item, ensure_ascii=False))
