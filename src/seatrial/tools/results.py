"""Any Python value as content blocks for a model: text as it is, pictures as pictures, the rest as JSON."""

from __future__ import annotations

import dataclasses
import json
import math
from base64 import b64encode
from collections.abc import Iterable, Mapping, Set
from datetime import date, datetime, time
from enum import Enum
from types import ModuleType
from typing import Any

import msgspec

from seatrial.core.content import FileContent, ImageContent, ResultBlock, TextContent

NO_OUTPUT = "(no output)"
_BLOCKS = (TextContent, ImageContent, FileContent)
_IMAGE_SIGNATURES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"))
_DEEPEST = 60


def blocks_of(value: Any) -> tuple[ResultBlock, ...]:
    """The blocks that say ``value``: never empty, never raising for a value that has a text form.

    Content blocks, and lists that hold one, pass through; a list without any is one JSON text.
    """
    if value is None or value == () or (isinstance(value, str | bytes) and not value):
        return (TextContent(NO_OUTPUT),)
    if isinstance(value, list | tuple) and any(_is_block(item) for item in value):
        return tuple(_block(item) for item in value)
    return (_block(value),)


def plain(value: Any) -> Any:
    """``value`` in JSON's terms: dicts with text keys, lists, text, finite numbers, true, false and null.

    Dates are ISO 8601, decimals keep their digits as text, sets are sorted, numbers that JSON lacks are text.
    """
    return _plain(value, ())


def text_of_value(value: Any) -> str:
    """Text as it is, everything else as JSON."""
    as_json = plain(value)
    return as_json if isinstance(as_json, str) else json.dumps(as_json, ensure_ascii=False, allow_nan=False)


def _is_block(value: Any) -> bool:
    return isinstance(value, _BLOCKS) or _picture(value) is not None


def _block(value: Any) -> ResultBlock:
    if isinstance(value, _BLOCKS):
        return value
    return _picture(value) or TextContent(text_of_value(value) or NO_OUTPUT)


def _picture(value: Any) -> ImageContent | None:
    """A picture given as bytes, or as an object that shows itself as PNG the way notebooks ask for it."""
    if isinstance(value, bytes | bytearray | memoryview):
        data = bytes(value)
        for signature, mime_type in _IMAGE_SIGNATURES:
            if data.startswith(signature):
                return ImageContent(b64encode(data).decode("ascii"), mime_type)
        is_webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
        return ImageContent(b64encode(data).decode("ascii"), "image/webp") if is_webp else None
    show = getattr(type(value), "_repr_png_", None)
    png = show(value) if callable(show) else None
    return ImageContent(b64encode(png).decode("ascii"), "image/png") if isinstance(png, bytes) else None


def _plain(value: Any, parents: tuple[int, ...]) -> Any:
    if isinstance(value, Enum):
        return _plain(value.value, parents)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str(value)
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
    if isinstance(value, type):
        return None
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, msgspec.Struct):
        return {name: getattr(value, name) for name in value.__struct_fields__}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value, strict=True))
    attributes = getattr(type(value), "__attrs_attrs__", None)
    if attributes is not None:
        return {attribute.name: getattr(value, attribute.name) for attribute in attributes}
    dump = getattr(value, "model_dump", None)
    dumped = dump() if callable(dump) else None
    return dumped if isinstance(dumped, Mapping) else None


def _plain_mapping(fields: Mapping[Any, Any], inside: tuple[int, ...]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for key, item in fields.items():
        name = text_of_value(key) if not isinstance(key, tuple | frozenset) else str(key)
        named[name if name not in named else repr(key)] = _plain(item, inside)
    return named


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
        return f"{type(value).__name__}: {value}"
    kind: Any = type(value)
    says_nothing = kind.__repr__ is object.__repr__ and kind.__str__ is object.__str__
    if says_nothing and not isinstance(value, ModuleType):
        parts = {name: part for name, part in getattr(value, "__dict__", {}).items() if not name.startswith("_")}
        return _plain_mapping(parts, inside) if parts else f"({type(value).__name__} object)"
    return str(value)


def _sort_key(item: Any) -> tuple[str, Any]:
    if isinstance(item, int | float):
        return ("", item)
    return (type(item).__name__, item if isinstance(item, str) else json.dumps(item, ensure_ascii=False))
