"""A table of any columns as test cases, row by row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any

from seatrial.config.diagnostics import Place, printable
from seatrial.config.files import TYPE_OF_ENDING
from seatrial.config.names import did_you_mean
from seatrial.config.notes import Notes
from seatrial.config.tables import read_table
from seatrial.errors import ConfigError

TARGETS = {
    "input": "input",
    "ground_truth": "ground_truth",
    "name": "name",
    "tags": "tags",
    "context": "retrieval_context",
    "expected_tools": "expected_tools",
    "files": "files",
    "checks": "checks",
}
_LOOKED_AT = 100
_MOST_TEXT = 5000
_MOST_NAME = 100


@dataclass
class Dataset:
    """Cases made of the rows of a file; ``columns`` leads from names of a case to columns of the file.

    ``unmapped`` are the columns that no case gets; both are known once it is made, by the first hundred rows. Raises
    `ConfigError` for a column that is not there.
    """

    path: Path
    columns: dict[str, str]
    notes: Notes = field(default_factory=Notes)
    unmapped: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._rows = read_table(self.path)
        self._first = list(islice(self._rows, _LOOKED_AT))
        known = _names(row for _, row in self._first)
        if not known:
            raise ConfigError(f"{self.path} holds no rows")
        for target in self.columns:
            if target not in TARGETS:
                raise ConfigError(f"a case has no `{target}`", hint=did_you_mean(target, TARGETS))
        self.columns = {name: name for name in TARGETS if name in known and name not in self.columns} | self.columns
        for target, column in self.columns.items():
            if column not in known:
                there = f"columns: {', '.join(known)}"
                near = did_you_mean(column, known)
                hint = f"{near}; {there}" if near and near.startswith("did") else there
                raise ConfigError(f"{self.path} has no column `{column}` for `{target}`", hint=printable(hint))
        if "input" not in self.columns:
            hint = f"write --map input=COLUMN; columns: {', '.join(known)}"
            raise ConfigError(f"{self.path} has no column `input`", hint=printable(hint))
        used = set(self.columns.values())
        self.unmapped = tuple(name for name in known if not any(_is_within(name, each) for each in used))

    def cases(self) -> Iterator[dict[str, Any]]:
        """The cases in the order of the rows, read as they are asked for; rows that are none are noted."""
        names: dict[str, int] = {}
        for line, row in chain(self._first, self._rows):
            case = self._case(row, Place(self.path, line))
            if case is not None:
                if "name" in case:
                    case["name"] = _free(case["name"], names)
                yield case

    def _case(self, row: Mapping[str, Any], place: Place) -> dict[str, Any] | None:
        case: dict[str, Any] = {}
        for target, key in TARGETS.items():
            value = _at(row, self.columns[target]) if target in self.columns else None
            if value is None or value == "":
                continue
            try:
                case[key] = _READ[target](value)
            except ValueError as error:
                self.notes.left(place, f"`{self.columns[target]}`", str(error))
        if not str(case.get("input", "")).strip():
            self.notes.left(place, "the row", "its question is empty")
            return None
        too_long = next((key for key in ("input", "ground_truth") if len(case.get(key, "")) > _MOST_TEXT), None)
        if too_long is not None:
            self.notes.left(place, "the row", f"its {too_long} has more than {_MOST_TEXT:,} characters")
            return None
        return case


def _names(rows: Iterator[Mapping[str, Any]]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for row in rows:
        found.update(dict.fromkeys(_paths(row)))
    return tuple(found)


def _paths(row: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """The row's columns, nested ones with dots, each before what is in it."""
    for key, value in row.items():
        yield f"{before}{key}"
        if isinstance(value, dict):
            yield from _paths(value, f"{before}{key}.")


def _at(row: Mapping[str, Any], path: str) -> Any:
    if path in row:
        return row[path]
    value: Any = row
    for step in path.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _is_within(name: str, used: str) -> bool:
    """Whether a column is used, or is part of one, or has one that is."""
    return name == used or name.startswith(f"{used}.") or used.startswith(f"{name}.")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _name(value: Any) -> str:
    return printable(" ".join(_text(value).split()))[: _MOST_NAME - 8]


def _data(value: Any) -> Any:
    """What a cell holds as JSON, else the cell."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _words(value: Any) -> list[str]:
    data = _data(value)
    items = data if isinstance(data, list) else _text(data).split(";")
    return [printable(word) for item in items if (word := " ".join(_text(item).split()))]


def _passages(value: Any) -> list[str]:
    data = _data(value)
    return [text for item in (data if isinstance(data, list) else [data]) if (text := _text(item)).strip()]


def _tools(value: Any) -> list[Any]:
    data = _data(value)
    return data if isinstance(data, list) else _words(value)


def _files(value: Any) -> list[Any]:
    data = _data(value)
    return [
        item if isinstance(item, dict) else _file(_text(item))
        for item in (data if isinstance(data, list) else _words(value))
    ]


def _file(written: str) -> dict[str, str]:
    kind = TYPE_OF_ENDING.get(Path(written).suffix.lower())
    if kind is None:
        raise ValueError(f"{written[:60]} has no ending that tells its type")
    return {"url" if written.startswith(("http://", "https://")) else "path": written, "type": kind}


def _checks(value: Any) -> Any:
    """Checks as JSON; a mere text must occur in the answer."""
    data = _data(value)
    if isinstance(data, dict):
        return [data]
    if isinstance(data, list) and all(isinstance(item, dict) for item in data):
        return data
    return [{"contains": data if isinstance(data, list) else _text(data)}]


_READ = {
    "input": _text,
    "ground_truth": _text,
    "name": _name,
    "tags": _words,
    "context": _passages,
    "expected_tools": _tools,
    "files": _files,
    "checks": _checks,
}


def _free(name: str, names: dict[str, int]) -> str:
    """The name, with a number where another row has it."""
    number = names.get(name, 0) + 1
    made = name if number == 1 else f"{name} {number}"
    while made != name and made in names:
        number += 1
        made = f"{name} {number}"
    names[name] = number
    names.setdefault(made, 1)
    return made
