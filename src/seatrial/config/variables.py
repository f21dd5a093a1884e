"""``${NAME}`` put into scalars that are already parsed, so that no value can change the structure.

``${NAME}`` is the variable's value, ``${NAME:-text}`` its value, or the text when it is unset or empty, and ``$${`` a
literal ``${``. Nothing else touches a dollar sign.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.located import Block, FilledText, Listing
from seatrial.config.names import nearest
from seatrial.config.secrets import is_holder_of_secrets, is_secret_name
from seatrial.config.source import Source

_TOKEN = re.compile(r"\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(\}|:-)|\$\{|\}")
_MAX_DEPTH = 10
# What only reaches something outside: kinds of tools, and keys of models.
_OUTSIDE_TOOLS = ("mcp", "vectorstore")
_WAYS = ("server", "command", "args", "env", "cwd", "url", "headers", "source", "connection_string")
_ADDRESSES = ("endpoint", "base_url", "api_base", "api_version")
# How much of a block is needed by nobody: only the addresses in it, the ways to a server too, or all.
_Idle = Literal["addresses", "ways", "all"]


@dataclass
class _Variable:
    """``${name:-default}`` in a text; ``written`` is how it stands there, without the default."""

    written: str
    name: str | None = None
    default: list[_Part] | None = None


_Part = str | _Variable


@dataclass
class Filler:
    """Puts variables into located data, in place. ``secrets`` gathers values of variables with secret names.

    ``stand_in`` takes the place of secret variables that are not set, where nobody is going to use them.
    ``is_offline``: nothing outside is going to be reached, and what says how to reach it may keep unset variables.
    """

    environ: Mapping[str, str]
    source: Source | None = None
    done: dict[int, object] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)
    stand_in: str | None = None
    is_offline: bool = False
    _problems: dict[Diagnostic, None] = field(default_factory=dict)

    @property
    def problems(self) -> list[Diagnostic]:
        """Unset variables, each once for each place."""
        return list(self._problems)

    def fill(self, data: object, *, is_secret: bool = False, idle: _Idle = "addresses") -> None:
        """Fills a block or list and all below it; what aliases share is filled once.

        ``is_secret``: all of it is. ``idle`` is what nobody is going to need of it offline.
        """
        if not isinstance(data, (Block, Listing)) or id(data) in self.done:
            return
        self.done[id(data)] = data
        if isinstance(data, Block):
            if idle == "addresses" and data.get("type") in _OUTSIDE_TOOLS:
                idle = "ways"
            for key, value in data.items():
                hides = is_secret or is_holder_of_secrets(str(key))
                is_idle = idle == "all" or key in _ADDRESSES or (idle == "ways" and key in _WAYS)
                if isinstance(value, str):
                    data[key] = self.filled(value, data.place_of_value(key), hides, is_idle) if "${" in value else value
                else:
                    self.fill(value, is_secret=hides, idle="all" if is_idle else idle)
            return
        for index, value in enumerate(data):
            if isinstance(value, str):
                place = data.place_of_item(index)
                data[index] = self.filled(value, place, is_secret, idle == "all") if "${" in value else value
            else:
                self.fill(value, is_secret=is_secret, idle=idle)

    def filled(self, text: str, place: Place, is_secret: bool = False, is_idle: bool = False) -> FilledText:
        """The text with its variables replaced; unset ones stay as they are, and are reported where they are needed."""
        missing: list[str] = []
        result = FilledText(self._joined(_parts(text), missing))
        if missing and is_secret and self.stand_in is not None:
            result, missing = FilledText(self.stand_in), []
        for name in () if is_idle and self.is_offline else missing:
            self._report_unset(name, place)
        result.written = str(text)
        result.is_whole = not missing
        return result

    def _joined(self, parts: list[_Part], missing: list[str]) -> str:
        return "".join(part if isinstance(part, str) else self._value(part, missing) for part in parts)

    def _value(self, variable: _Variable, missing: list[str]) -> str:
        name = variable.name or ""
        value = self.environ.get(name)
        if variable.default is not None and not value:
            value = self._joined(variable.default, missing)
        if value is None and self.stand_in is not None and is_secret_name(name):
            return self.stand_in
        if value is None:
            missing.append(name)
            return variable.written
        if value and is_secret_name(name):
            self.secrets.add(value)
        return value

    def _report_unset(self, name: str, place: Place) -> None:
        near = nearest(name, self.environ)
        hint = f"did you mean ${{{near}}}?" if near else _what_to_do(name)
        if self.source is not None and self.source.path == place.file:
            place = self.source.find("${" + name, place)
        message = f"the environment variable {name} is not set"
        self._problems[Diagnostic("error", "ST303", message, place, hint=hint)] = None


def _parts(text: str) -> list[_Part]:
    """The text as literal parts and variables. A default runs to its closing brace; unclosed ones are literal."""
    open_parts: list[list[_Part]] = [[]]
    open_variables: list[_Variable] = []
    position = 0
    for match in _TOKEN.finditer(text):
        here = open_parts[-1]
        here.append(text[position : match.start()])
        position = match.end()
        mark = match[0]
        if mark == "$${":
            here.append("${")
        elif match[2] == "}":
            here.append(_Variable(mark, match[1]))
        elif mark != "}" and (match[1] or open_variables) and len(open_variables) < _MAX_DEPTH:
            open_variables.append(_Variable(mark, match[1]))
            open_parts.append([])
        elif mark == "}" and open_variables:
            _close(open_variables.pop(), open_parts.pop(), open_parts[-1])
        else:
            here.append(mark)
    open_parts[-1].append(text[position:])
    while open_variables:
        inner, variable = open_parts.pop(), open_variables.pop()
        open_parts[-1] += [variable.written, *inner]
    return open_parts[0]


def _close(variable: _Variable, inner: list[_Part], outer: list[_Part]) -> None:
    if variable.name is None:
        outer += [variable.written, *inner, "}"]
    else:
        variable.default = inner
        outer.append(variable)


def _what_to_do(name: str) -> str:
    """A secret has no default: it would stand in the file."""
    if is_secret_name(name):
        return "set it, or put it into .env"
    return f"set it, put it into .env, or write ${{{name}:-default}}"
