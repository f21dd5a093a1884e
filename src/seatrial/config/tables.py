"""Rows of a data file, one after the other, each with its line: CSV in its dialects, TSV and JSONL."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, TextIO

from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.errors import ConfigError

JSON_LINES = (".jsonl", ".ndjson")
_LONGEST_CELL = 10_000_000


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
    first = file.readline()
    delimiter = "\t" if path.suffix.lower() == ".tsv" else max(",;\t", key=first.count)
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(chain([first], file), delimiter=delimiter, strict=True)
    columns: list[str] | None = None
    start = 1
    try:
        for cells in reader:
            line, start = start, reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            if columns is None:
                columns = [name.strip() for name in cells]
                _refuse_bad_columns(columns, path, line)
            elif len(cells) != len(columns):
                message = f"line {line} has {len(cells)} cells, the header has {len(columns)}"
                raise _bad(path, line, message, "a cell that holds a comma or a line break needs double quotes")
            else:
                yield line, dict(zip(columns, cells, strict=True))
    except csv.Error as error:
        raise _bad(path, start, f"line {start} is not CSV: {error}") from None


def _refuse_bad_columns(columns: list[str], path: Path, line: int) -> None:
    for index, name in enumerate(columns):
        if not name:
            raise _bad(path, line, f"column {index + 1} has no name")
        if name in columns[:index]:
            raise _bad(path, line, f"the column `{name}` is there twice")


def _bad(path: Path, line: int, message: str, hint: str | None = None) -> ConfigError:
    finding = Diagnostic("error", "ST112", message, Place(path, line), hint=hint)
    return ConfigError(f"{path} cannot be read", diagnostics=[finding])
