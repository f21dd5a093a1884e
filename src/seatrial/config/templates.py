"""Placeholders of prompt templates: ``{name}``, ``{{name}}`` and ``{{$name}}``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

_PLACEHOLDER = re.compile(r"\{\{\s*\$?([A-Za-z_]\w*)\s*\}\}|(?<!\{)\{([A-Za-z_]\w*)\}")


class Placeholder(NamedTuple):
    """A name that a template asks for, as it is written where it first appears, and on which line, from 1."""

    name: str
    written: str
    line: int


def placeholders(template: str) -> list[Placeholder]:
    """The names that a template asks for, each once, in the order of their first appearance."""
    found: dict[str, Placeholder] = {}
    line, counted_to = 1, 0
    for match in _PLACEHOLDER.finditer(template):
        line += template.count("\n", counted_to, match.start())
        counted_to = match.start()
        name = match[1] or match[2]
        if name not in found:
            found[name] = Placeholder(name, match[0], line)
    return list(found.values())


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with its placeholders replaced; what stands in the values is not looked at again."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1] or match[2], match[0]), template)
