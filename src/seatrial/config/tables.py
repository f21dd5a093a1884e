"""Rows of a data file, one after the other, each with its line: CSV in its dialects, TSV and JSONL."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.errors import ConfigError

JSON_LINES = (".jsonl", ".ndjson")
QUOTES_NEEDED = "a cell that holds a comma or a line break needs double quotes"
_LONGEST_CELL = 10_000_000


class NoCsvError(Exception):
    """A row that begins on ``line`` cannot be read as CSV."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def read_table(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line and values of each row; cells of CSV are texts. The file is read as its rows are asked for.

    Raises `ConfigError` with a diagnostic for what cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _objects(file, path) if path.suffix.lower() in JSON_LINES else _cells(file, path)
    except UnicodeDecodeError:
        raise _bad(path, 0, f"{path.name} is not UTF-8", "save the file as UTF-8") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _bad(path, 0, f"{path} cannot be read: {reason}") from error


def _objects(file: TextIO, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(file, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _bad(path, number, f"line {number} is not JSON: {error}") from None
        if not isinstance(row, dict):
            raise _bad(path, number, f"line {number} is no JSON object")
        yield number, row


def _cells(file: TextIO, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    columns: list[str] | None = None
    try:
        for line, cells in csv_records(file, path):
            if columns is None:
                columns = [name.strip() for name in cells]
                _refuse_bad_columns(columns, path, line)
            elif len(cells) != len(columns):
                message = f"line {line} has {len(cells)} cells, the header has {len(columns)}"
                raise _bad(path, line, message, QUOTES_NEEDED)
            else:
                yield line, dict(zip(columns, cells, strict=True))
    except NoCsvError as error:
        raise _bad(path, error.line, f"line {error.line} is not CSV: {error}") from None


def csv_records(lines: Iterable[str], path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold something, each with the line on which it begins; the first line tells what parts cells.

    Raises `NoCsvError`.
    """
    rest = iter(lines)
    first = next(rest, "")
    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=first.count)
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(chain([first], rest), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise NoCsvError(line, str(error)) from None


def _refuse_bad_columns(columns: list[str], path: Path, line: int) -> None:
    for index, name in enumerate(columns):
        if not name:
            raise _bad(path, line, f"column {index + 1} has no name")
        if name in columns[:index]:
            raise _bad(path, line, f"the column `{name}` is there twice")


def _bad(path: Path, line: int, message: str, hint: str | None = None) -> ConfigError:
    finding = Diagnostic("error", "ST112", message, Place(path, line), hint=hint)
    return ConfigError(f"{path} cannot be read", diagnostics=[finding])
