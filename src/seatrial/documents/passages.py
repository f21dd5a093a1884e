"""From records to passages: which fields are the text, which are metadata, and under what names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from seatrial.documents.base import Document, Record
from seatrial.documents.text_fields import find_text_fields
from seatrial.errors import DocumentError


@dataclass(frozen=True, slots=True)
class FieldSettings:
    """How records become passages.

    ``vector_fields`` are joined to the text (found from the values when empty). ``meta_fields`` go into the metadata;
    they are looked up in the record, then in the objects around it, dots lead into nested objects; None takes every
    simple field that is not text. ``record_prefix`` stands before the names of a record's own fields,
    ``meta_prefix`` before the names that ``meta_fields`` lists. ``separator`` stands between the values of several
    text fields, without their names; None puts each on a line of its own below its name. ``id_field`` names a record
    in references in place of its number.
    """

    vector_fields: tuple[str, ...] = ()
    meta_fields: tuple[str, ...] | None = None
    record_prefix: str = ""
    meta_prefix: str = ""
    separator: str | None = None
    id_field: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """The text of one record and what is known about it."""

    text: str
    metadata: Mapping[str, Any]
    place: str
    line: int | None = None


def passages_of(document: Document, settings: FieldSettings) -> list[Passage]:
    """One passage per record, in order; records without text are left out.

    Raises `DocumentError` when a named field is in no record.
    """
    records = document.records or ()
    _check_names("vector_field", settings.vector_fields, records, document.source)
    _check_names("meta_fields", settings.meta_fields or (), records, document.source)
    _check_names("id_field", [settings.id_field] if settings.id_field else [], records, document.source)
    text_fields = settings.vector_fields or find_text_fields(records)
    made = (_passage(record, text_fields, settings) for record in records)
    return [passage for passage in made if passage.text]


def shown(value: Any) -> str:
    """A value as a person would write it: ``true``, ``12.5``, ``a, b``; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {shown(item)}" for key, item in value.items() if shown(item))
    if isinstance(value, Sequence):
        return ", ".join(text for text in map(shown, value) if text)
    return str(value)


def _passage(record: Record, text_fields: Sequence[str], settings: FieldSettings) -> Passage:
    values = {name: shown(_look_up(record, name)).strip() for name in text_fields}
    filled = {name: value for name, value in values.items() if value}
    if len(text_fields) == 1:
        text = next(iter(filled.values()), "")
    elif settings.separator is not None:
        text = settings.separator.join(filled.values())
    else:
        text = "\n".join(f"{settings.record_prefix}{name}: {value}" for name, value in filled.items())
    own_name = shown(_look_up(record, settings.id_field)) if settings.id_field else ""
    return Passage(text, _metadata(record, text_fields, settings), own_name or record.place, record.line)


def _metadata(record: Record, text_fields: Sequence[str], settings: FieldSettings) -> dict[str, Any]:
    if settings.meta_fields is not None:
        return {settings.meta_prefix + name: _kept(_look_up(record, name)) for name in settings.meta_fields}
    return {
        settings.record_prefix + _whole(str(name)): _kept(value)
        for name, value in record.fields.items()
        if name not in text_fields and _is_simple(value)
    }


def _kept(value: Any) -> Any:
    """The value as it is, but for halves of characters in its texts."""
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, Mapping):
        return {_whole(str(key)): _kept(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_kept(item) for item in value]
    return value


def _whole(text: str) -> str:
    """JSON can name half a character; no file and no database can hold it."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_simple(value: Any) -> bool:
    return value != "" and isinstance(value, (str, int, float, bool))


_ABSENT = object()


def _look_up(record: Record, name: str) -> Any:
    for fields in (record.fields, *reversed(record.enclosing)):
        found = _at(fields, name)
        if found is not _ABSENT:
            return found
    return None


def _at(fields: Any, name: str) -> Any:
    """The value under ``name``: as a key of its own first, then step by step along its dots."""
    if not isinstance(fields, Mapping):
        return _ABSENT
    if name in fields:
        return fields[name]
    first, dot, rest = name.partition(".")
    return _at(fields[first], rest) if dot and first in fields else _ABSENT


def _check_names(key: str, names: Iterable[str], records: Sequence[Record], source: str) -> None:
    for name in names:
        if records and all(_is_absent(record, name) for record in records):
            known = [str(field) for field in records[0].fields]
            near = get_close_matches(name, known, n=1)
            raise DocumentError(
                f"{source}: {key} {name!r} is in none of its records",
                hint=f"did you mean {near[0]!r}?" if near else f"the fields are: {', '.join(known[:20])}",
            )


def _is_absent(record: Record, name: str) -> bool:
    return all(_at(fields, name) is _ABSENT for fields in (record.fields, *record.enclosing))
