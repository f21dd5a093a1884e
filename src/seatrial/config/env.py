"""Variables: ``.env`` files, and ``${NAME}`` put into scalars that are already parsed.

``${NAME}`` is the variable's value, ``${NAME:-text}`` its value, or the text when it is unset or empty, and ``$${`` a
literal ``${``. Nothing else touches a dollar sign.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.located import Block, FilledText, Listing
from seatrial.config.secrets import is_secret_name
from seatrial.config.source import Source, read_source
from seatrial.errors import ConfigError

_START = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(\}|:-)")
_ASSIGNMENT = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=\s*(.*)")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "$": "$"}


def read_env_file(path: Path) -> tuple[dict[str, str], list[Diagnostic]]:
    """The variables of a ``.env`` file, in the usual dialect; no file is no variables."""
    if not path.exists():
        return {}, []
    try:
        source = read_source(path)
    except ConfigError as error:
        return {}, list(error.diagnostics)
    values: dict[str, str] = {}
    problems: list[Diagnostic] = []
    number = 0
    while number < len(source.lines):
        line = source.lines[number]
        number += 1
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _ASSIGNMENT.fullmatch(line)
        if match is None:
            message = f"line {number} of {path.name} is not NAME=value"
            problems.append(Diagnostic("warning", "ST511", message, Place(path, number), hint="it is left out"))
            continue
        values[match[1]], number = _env_value(match[2], source, number)
    return values, problems


def _env_value(text: str, source: Source, number: int) -> tuple[str, int]:
    """The value that begins with ``text``, and the number of lines read so far; quoted ones may span lines."""
    quote = text[:1]
    if quote not in ("'", '"'):
        return re.sub(r"(?:^|\s+)#.*", "", text).strip(), number
    body = text[1:]
    while (end := _closing_quote(body, quote)) is None and number < len(source.lines):
        body += "\n" + source.lines[number]
        number += 1
    inner = body if end is None else body[:end]
    if quote == '"':
        inner = re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[0]), inner, flags=re.DOTALL)
    return inner, number


def _closing_quote(text: str, quote: str) -> int | None:
    position = 0
    while position < len(text):
        if text[position] == "\\" and quote == '"':
            position += 2
            continue
        if text[position] == quote:
            return position
        position += 1
    return None


@dataclass
class Filler:
    """Puts variables into located data, in place. ``secrets`` gathers values of variables with secret names."""

    environ: Mapping[str, str]
    source: Source | None = None
    done: dict[int, object] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)
    secrets: set[str] = field(default_factory=set)

    def fill(self, data: object) -> None:
        """Fills a block or list and all below it; what aliases share is filled once."""
        if not isinstance(data, (Block, Listing)) or id(data) in self.done:
            return
        self.done[id(data)] = data
        if isinstance(data, Block):
            for key, value in data.items():
                if isinstance(value, str):
                    data[key] = self.filled(value, data.place_of_value(key)) if "${" in value else value
                else:
                    self.fill(value)
            return
        for index, value in enumerate(data):
            if isinstance(value, str):
                data[index] = self.filled(value, data.place_of_item(index)) if "${" in value else value
            else:
                self.fill(value)

    def filled(self, text: str, place: Place) -> str:
        """The text with its variables replaced; unset ones are reported and stay as they are."""
        missing: list[str] = []

        def value_of(name: str, default: str | None) -> str | None:
            value = self._value(name, default, place)
            if value is None:
                missing.append(name)
            return value

        result = FilledText(_replace(text, value_of))
        result.written = str(text)
        result.is_whole = not missing
        return result

    def _value(self, name: str, default: str | None, place: Place) -> str | None:
        value = self.environ.get(name)
        if default is not None and not value:
            value = self.filled(default, place) if "${" in default else default
        if value is None:
            self._report_unset(name, place)
        elif value and is_secret_name(name):
            self.secrets.add(value)
        return value

    def _report_unset(self, name: str, place: Place) -> None:
        near = get_close_matches(name, self.environ, n=1, cutoff=0.8)
        hint = f"did you mean ${{{near[0]}}}?" if near else f"set it, put it into .env, or write ${{{name}:-default}}"
        message = f"the environment variable {name} is not set"
        if self.source is not None and self.source.path == place.file:
            place = self.source.find("${" + name, place)
        finding = Diagnostic("error", "ST303", message, place, hint=hint)
        if finding not in self.problems:
            self.problems.append(finding)


def _replace(text: str, value_of: Callable[[str, str | None], str | None]) -> str:
    parts: list[str] = []
    position = 0
    while (match := _START.search(text, position)) is not None:
        parts.append(text[position : match.start()])
        position = match.end()
        if match[1] is None:
            parts.append("${")
            continue
        default: str | None = None
        if match[2] == ":-":
            end = _closing_brace(text, position)
            if end is None:
                parts.append(match[0])
                continue
            default, position = text[position:end], end + 1
        value = value_of(match[1], default)
        parts.append(text[match.start() : position] if value is None else value)
    parts.append(text[position:])
    return "".join(parts)


def _closing_brace(text: str, start: int) -> int | None:
    """Where the brace stands that closes a default, variables inside the default being passed over."""
    depth = 0
    position = start
    while position < len(text):
        if text.startswith("${", position):
            depth += 1
            position += 1
        elif text[position] == "}":
            if depth == 0:
                return position
            depth -= 1
        position += 1
    return None
