"""``.env`` files, in the usual dialect: ``NAME=value``, ``export``, quotes, comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.paths import from_folder
from seatrial.config.source import read_source
from seatrial.errors import ConfigError

_ASSIGNMENT = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*")
_DOUBLE_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_SINGLE_QUOTED = re.compile(r"'([^']*)'")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "$": "$"}


def read_env_file(path: Path) -> tuple[dict[str, str], list[Diagnostic]]:
    """The variables of a ``.env`` file; no file is no variables."""
    if not path.is_file():
        return {}, []
    try:
        text = read_source(path).text
    except ConfigError as error:
        return {}, list(error.diagnostics)
    values: dict[str, str] = {}
    problems: list[Diagnostic] = []
    position, number = 0, 1
    while position < len(text):
        end = _line_end(text, position)
        line = text[position:end].strip()
        match = _ASSIGNMENT.match(text, position, end)
        if match is not None:
            values[match[1]], end = _value(text, match.end(), end)
        elif line and not line.startswith("#"):
            message = f"line {number} of {path.name} is not NAME=value"
            problems.append(Diagnostic("warning", "ST511", message, Place(path, number), hint="it is left out"))
        number += text.count("\n", position, end + 1)
        position = end + 1
    return values, problems


def secrets_of_env_files(data: Any, folder: Path) -> set[str]:
    """Every value in a file that an ``env_file`` of the agent file names: such files are kept for secrets."""
    return {
        value
        for written in set(_env_files(data))
        for value in read_env_file(from_folder(folder, written))[0].values()
        if value
    }


def _env_files(data: Any) -> Iterator[str]:
    """What the tools name, wherever they stand."""
    if not isinstance(data, dict):
        return
    named = data.get("env_file")
    if isinstance(named, str):
        yield str(named)
    yield from _env_files(data.get("config"))
    for key in ("tools", "variants"):
        items = data.get(key)
        for item in items if isinstance(items, list) else ():
            yield from _env_files(item)


def _value(text: str, start: int, line_end: int) -> tuple[str, int]:
    """The value that begins at ``start``, and where its last line ends; quoted ones may span lines."""
    quoted = _DOUBLE_QUOTED.match(text, start)
    if quoted is not None:
        value = re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), quoted[1], flags=re.DOTALL)
        return value, _line_end(text, quoted.end())
    quoted = _SINGLE_QUOTED.match(text, start)
    if quoted is not None:
        return quoted[1], _line_end(text, quoted.end())
    return _COMMENT.sub("", text[start:line_end]).strip(), line_end


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position)
    return len(text) if end < 0 else end
