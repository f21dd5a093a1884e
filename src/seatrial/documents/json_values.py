"""JSON and JSON Lines: records with their fields, numbers as numbers, NaN as null."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from seatrial.documents.base import Document, Problem, ReadOptions, Record
from seatrial.documents.encoding import decode, with_unix_newlines
from seatrial.documents.record_path import follow_record_path
from seatrial.errors import DocumentError

_MAX_PROBLEMS = 100


class JsonReader:
    """One JSON value; its records are the list that ``record_path`` names, or the one that is there."""

    def read(self, data: bytes, source: str, options: ReadOptions) -> Document:
        """The text as written, and its records; raises `DocumentError` with line and column for broken JSON."""
        text, problems = decode(data, source, options.limits)
        text = with_unix_newlines(text)
        if not text.strip():
            raise DocumentError(f"{source} is empty", hint="a JSON file holds one value")
        value = parse_json(text, source)
        records = tuple(follow_record_path(value, options.record_path, source))
        return Document(source, text, records=_within(records, source, options), problems=problems)


class JsonLinesReader:
    """One JSON value per line; blank lines are passed over, a broken line is reported and the others kept."""

    def read(self, data: bytes, source: str, options: ReadOptions) -> Document:
        """The records in their order; raises `DocumentError` when not one line can be read."""
        text, problems = decode(data, source, options.limits)
        text = with_unix_newlines(text)
        records: list[Record] = []
        broken: list[Problem] = []
        for line, value in _lines(text, source, broken):
            records += _records_of_line(value, line, len(records), source, options.record_path)
        if not records:
            raise DocumentError(
                str(broken[0]) if broken else f"{source} holds no records",
                hint='each line is one JSON object, such as {"text": "..."}',
            )
        found = (*problems, *_shortened(broken, source))
        return Document(source, text, records=_within(tuple(records), source, options), problems=found)


def parse_json(text: str, source: str, line: int | None = None) -> Any:
    """The value, with NaN and infinities as None; raises `DocumentError` that names the place."""
    try:
        return json.loads(text, parse_constant=lambda _name: None)
    except json.JSONDecodeError as error:
        row = error.lineno if line is None else line
        raise DocumentError(f"{source}:{row}:{error.colno}: this is not JSON: {error.msg}") from error
    except RecursionError as error:
        raise DocumentError(f"{source} is nested too deeply to be read") from error
    except ValueError as error:
        raise DocumentError(f"{source}: a number is too long to be read", hint="write it as a string") from error


def _lines(text: str, source: str, broken: list[Problem]) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line, parse_constant=lambda _name: None)
        except json.JSONDecodeError as error:
            broken.append(Problem(f"line {number} is not JSON: {error.msg} (column {error.colno})", source, number))
        except (RecursionError, ValueError):
            broken.append(Problem(f"line {number} cannot be read as JSON", source, number))


def _records_of_line(value: Any, line: int, before: int, source: str, record_path: str | None) -> list[Record]:
    if record_path is None:
        fields = value if isinstance(value, Mapping) else {"text" if isinstance(value, str) else "value": value}
        return [Record(fields, f"record {before + 1}", line)]
    found = follow_record_path(value, record_path, f"{source}:{line}")
    return [
        Record(record.fields, f"record {before + position}", line, record.enclosing)
        for position, record in enumerate(found, start=1)
    ]


def _within(records: tuple[Record, ...], source: str, options: ReadOptions) -> tuple[Record, ...]:
    if len(records) > options.limits.max_records:
        raise DocumentError(f"{source} has {len(records):,} records, the limit is {options.limits.max_records:,}")
    return records


def _shortened(broken: list[Problem], source: str) -> list[Problem]:
    if len(broken) <= _MAX_PROBLEMS:
        return broken
    return [*broken[:_MAX_PROBLEMS], Problem(f"{len(broken) - _MAX_PROBLEMS} more lines cannot be read", source)]
