"""Placeholders of Nunjucks, as far as they can be filled without a template engine: ``{{ name.part | filter }}``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from seatrial.config.diagnostics import printable

_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_PLACE = re.compile(r"\{\{-?\s*(.*?)\s*-?\}\}", re.DOTALL)
_PATH = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*|\[\d+\]|\[(?:'[^']*'|\"[^\"]*\")\])*")
_STEP = re.compile(r"\.?([A-Za-z_$][\w$]*)|\[(\d+)\]|\[['\"]([^'\"]*)['\"]\]")
_FILTER = re.compile(r"([A-Za-z_]\w*)(?:\((.*)\))?", re.DOTALL)
_ARGUMENT = re.compile(r"\s*(?:'([^']*)'|\"([^\"]*)\"|(-?\d+(?:\.\d+)?)|(true|false|none|null))\s*(,|$)")
_TAG = re.compile(r"\{%-?\s*(\w+)")
_WORDS = {"true": True, "false": False, "none": None, "null": None}


class TemplateError(Exception):
    """The text holds more than placeholders; the message is the part in question."""


def names_in(text: str) -> set[str]:
    """The names of the variables that placeholders of a text begin with."""
    paths = (_PATH.match(found[1]) for found in _PLACE.finditer(text))
    return {re.split(r"[.\[]", path[0])[0] for path in paths if path}


def shown(value: Any) -> str:
    """A value as a placeholder shows it: text as it is, lists and maps as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return str(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def one_line(value: Any) -> str:
    """A value as a name or tag can hold it: on one line, control characters written out."""
    return printable(" ".join(shown(value).split()))


def fill(text: str, variables: Mapping[str, Any]) -> str:
    """The text with its placeholders filled; a variable without a value is empty, as in Nunjucks.

    Raises `TemplateError` for tags, unknown filters and expressions: nothing is guessed.
    """
    text = _COMMENT.sub("", text)
    tag = _TAG.search(text)
    if tag is not None:
        raise TemplateError(f"{{% {tag[1]} %}}")
    return _PLACE.sub(lambda found: shown(_value(found[1], variables)), text)


def _value(expression: str, variables: Mapping[str, Any]) -> Any:
    path, *filters = _parts(expression)
    if not _PATH.fullmatch(path) or path.startswith("env."):
        raise TemplateError(f"{{{{ {expression} }}}}")
    value: Any = variables
    for name, index, quoted in _STEP.findall(path):
        if isinstance(value, Mapping):
            value = value.get(name or quoted or index)
        elif isinstance(value, list | tuple) and index and int(index) < len(value):
            value = value[int(index)]
        else:
            value = None
    for written in filters:
        found = _FILTER.fullmatch(written)
        function = FILTERS.get(found[1]) if found else None
        if found is None or function is None:
            raise TemplateError(f"{{{{ {expression} }}}}")
        try:
            value = function(value, *_arguments(found[2] or ""))
        except (TypeError, ValueError):
            raise TemplateError(f"{{{{ {expression} }}}}") from None
    return value


def _parts(expression: str) -> list[str]:
    """The expression parted at its bars, those inside quotes left alone."""
    bars = re.sub(r"'[^']*'|\"[^\"]*\"", lambda found: "_" * len(found[0]), expression)
    parts, start = [], 0
    for found in re.finditer(r"\|", bars):
        parts.append(expression[start : found.start()].strip())
        start = found.end()
    return [*parts, expression[start:].strip()]


def _arguments(written: str) -> list[Any]:
    found, position = [], 0
    while written.strip() and position < len(written):
        match = _ARGUMENT.match(written, position)
        if match is None:
            raise ValueError(written)
        single, double, number, word, _ = match.groups()
        if number is not None:
            found.append(json.loads(number))
        else:
            found.append(_WORDS[word] if word else (single if single is not None else double))
        position = match.end()
    return found


def _default(value: Any, other: Any = "", is_for_false: Any = False) -> Any:
    return other if value is None or (is_for_false and not value) else value


def _replace(value: Any, old: str, new: str) -> str:
    return shown(value).replace(old, new)


def _dump(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent, separators=None if indent else (",", ":"))


def _join(value: Any, mark: str = "") -> str:
    if not isinstance(value, list | tuple):
        raise TypeError
    return mark.join(map(shown, value))


FILTERS: dict[str, Callable[..., Any]] = {
    "upper": lambda value: shown(value).upper(),
    "lower": lambda value: shown(value).lower(),
    "trim": lambda value: shown(value).strip(),
    "capitalize": lambda value: shown(value).capitalize(),
    "title": lambda value: re.sub(r"\S+", lambda word: word[0].capitalize(), shown(value)),
    "string": shown,
    "safe": lambda value: value,
    "length": lambda value: 0 if value is None else len(value),
    "first": lambda value: value[0] if value else None,
    "last": lambda value: value[-1] if value else None,
    "dump": _dump,
    "join": _join,
    "replace": _replace,
    "default": _default,
    "d": _default,
}
