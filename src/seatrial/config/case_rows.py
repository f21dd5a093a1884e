"""The rows of a file of test cases: YAML, JSONL or CSV, each with its place."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.located import Block, Listing, PlainText, Spot
from seatrial.config.source import Source
from seatrial.config.tables import QUOTES_NEEDED, NoCsvError, csv_records
from seatrial.config.yaml_reader import read_yaml

_LIST_COLUMNS = {"expected_tools", "forbidden_tools", "tags", "evaluations", "retrieval_context"}
_JSON_START = ("[", "{")


class CaseRows(NamedTuple):
    """The rows of one file. Variables are put into YAML alone: rows of JSONL and CSV are data."""

    rows: Listing
    problems: list[Diagnostic]
    has_variables: bool = False


def read_rows(source: Source) -> CaseRows:
    """The test cases in a file; never raises for what it holds."""
    readers: dict[str, Callable[[Source], CaseRows]] = {".jsonl": _jsonl, ".ndjson": _jsonl, ".csv": _csv, ".tsv": _csv}
    found = readers.get(source.path.suffix.lower(), _yaml)(source)
    if not found.rows and not found.problems:
        found.problems.append(_without_cases(source))
    return found


def _without_cases(source: Source) -> Diagnostic:
    """A file that is named and gives nothing: whoever named it believes that its cases are run."""
    is_empty = not source.text.strip()
    message = f"{source.path.name} is empty" if is_empty else f"{source.path.name} holds no test case"
    hint = "write test cases into it, or take it out of `test_cases_file`"
    return Diagnostic("error", "ST108", message, Place(source.path, 1), hint=hint)


def _yaml(source: Source) -> CaseRows:
    document = read_yaml(source)
    found = CaseRows(Listing(source.path, 1), document.problems, has_variables=True)
    data = document.data
    if isinstance(data, Block) and isinstance(data.get("test_cases"), Listing):
        for key in [key for key in data if key != "test_cases" and not key.startswith("x-")]:
            message = f"`{key}` does not belong in a file of test cases"
            found.problems.append(Diagnostic("error", "ST102", message, data.place_of_key(key)))
        data = data["test_cases"]
    if isinstance(data, Listing):
        return found._replace(rows=data)
    if not document.problems:
        hint = "write a list of test cases, or `test_cases:` with such a list"
        message = f"{source.path.name} is empty" if data is None else f"{source.path.name} holds no list of test cases"
        found.problems.append(Diagnostic("error", "ST108", message, Place(source.path, 1), hint=hint))
    return found


def _jsonl(source: Source) -> CaseRows:
    found = CaseRows(Listing(source.path, 1), [])
    decoder = json.JSONDecoder(
        parse_int=PlainText, parse_float=PlainText, parse_constant=_no_number, object_pairs_hook=_unique
    )
    for number, line in enumerate(source.lines_in_turn(), start=1):
        if not line.strip():
            continue
        try:
            row = decoder.decode(line)
        except json.JSONDecodeError as error:
            found.problems.append(_bad_row(source, number, f"this is not JSON: {error.msg}", error.colno))
            continue
        except (ValueError, RecursionError) as error:
            found.problems.append(_bad_row(source, number, f"this is not JSON: {error}"))
            continue
        if not isinstance(row, dict):
            found.problems.append(_bad_row(source, number, "each line holds one test case as a JSON object"))
            continue
        found.rows.append(_JsonRow(source, number, row))
    return found


class _JsonRow(Block):
    """A line of a JSONL file; the columns of its keys are looked up when somebody asks."""

    __slots__ = ("_in_line", "_old_names", "_source")

    def __init__(self, source: Source, number: int, row: dict[str, Any]) -> None:
        super().__init__(source.path, number)
        self._source = source
        self._old_names: dict[str, str] | None = None
        self._in_line: dict[str, Spot] | None = None
        self.update(row)

    def rename(self, old: str, new: str) -> None:
        """Moves a value to another key; the place stays that of the old one."""
        super().rename(old, new)
        self._old_names = {**(self._old_names or {}), new: old}

    def place_of_key(self, key: str) -> Place:
        """Where the key stands in its line."""
        spot = self._spot_in_line(key)
        return self.place if spot is None else Place(self.file, self.line, spot.key_column, spot.key_length)

    def place_of_value(self, key: str) -> Place:
        """Where the value stands in its line."""
        spot = self._spot_in_line(key)
        return self.place if spot is None else Place(self.file, self.line, spot.column, spot.length)

    def _spot_in_line(self, key: str) -> Spot | None:
        if self._in_line is None:
            data = read_yaml(Source(self.file, self._source.lines[self.line - 1])).data
            self._in_line = data.spots if isinstance(data, Block) else {}
        return self._in_line.get((self._old_names or {}).get(key, key))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = {sys.intern(name): value for name, value in pairs}
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} is given twice")
    return made


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number in JSON")


def _csv(source: Source) -> CaseRows:
    found = CaseRows(Listing(source.path, 1), [])
    try:
        records = list(csv_records(io.StringIO(source.text, newline=""), source.path))
    except NoCsvError as error:
        found.problems.append(_bad_row(source, error.line, f"this is not CSV: {error}"))
        return found
    if not records:
        return found
    (_, header), *rows = records
    columns = [name.strip() for name in header]
    found.problems.extend(_bad_columns(source, columns))
    for number, cells in rows:
        if len(cells) != len(columns):
            message = f"the row has {len(cells)} cells, the header has {len(columns)}"
            found.problems.append(_bad_row(source, number, message, hint=QUOTES_NEEDED))
            continue
        found.rows.append(_csv_row(source, number, columns, cells, found.problems))
    return found


def _bad_columns(source: Source, columns: list[str]) -> Iterator[Diagnostic]:
    for index, name in enumerate(columns):
        if not name:
            yield _bad_row(source, 1, f"column {index + 1} has no name")
        elif name in columns[:index]:
            yield Diagnostic("error", "ST103", f"the column `{name}` is there twice", Place(source.path, 1))


def _csv_row(source: Source, number: int, columns: list[str], cells: list[str], problems: list[Diagnostic]) -> Block:
    row = Block(source.path, number)
    for name, cell in zip(columns, cells, strict=True):
        if cell == "" or not name:
            continue
        row.spots[name] = Spot(number, 1, 1, number, 1, 1)
        row[name] = _cell(source, number, name, cell, problems)
    return row


def _cell(source: Source, number: int, name: str, cell: str, problems: list[Diagnostic]) -> Any:
    """A cell as text; JSON where a list or a block is meant, and for plain lists words parted by semicolons."""
    if name in ("expected_tools", "checks", "turns", "files", *_LIST_COLUMNS) and cell.lstrip().startswith(_JSON_START):
        try:
            return json.loads(cell)
        except ValueError as error:
            problems.append(_bad_row(source, number, f"the cell of `{name}` is not JSON: {error}"))
            return None
    if name in _LIST_COLUMNS:
        return [word.strip() for word in cell.split(";") if word.strip()]
    return cell


def _bad_row(source: Source, number: int, message: str, column: int = 1, *, hint: str | None = None) -> Diagnostic:
    return Diagnostic("error", "ST112", message, Place(source.path, number, column), hint=hint)
