"""How a name is matched to a model of the catalogue: dated names, aliases and vendor prefixes.

A rule is a mark and a text (``=name``, ``^start``, ``$end``, ``*part``, ``~regex``), a list of rules of which any may
hold, or ``{"all": [...]}`` of which all must. Names are compared in lower case.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

_COMPACT_DATE = re.compile(r"-(20\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=-|:|$)")


def matches(rule: Any, name: str) -> bool:
    """Whether a lower-case name fulfils a rule of the data files."""
    if isinstance(rule, list):
        return any(matches(part, name) for part in rule)
    if isinstance(rule, dict):
        return all(matches(part, name) for part in rule["all"])
    mark, text = rule[0], rule[1:]
    match mark:
        case "=":
            return bool(name == text)
        case "^":
            return name.startswith(text)
        case "$":
            return name.endswith(text)
        case "*":
            return text in name
        case _:
            return re.search(text, name) is not None


def exact_names(rule: Any) -> Iterator[str]:
    """The whole names that a rule lists."""
    for part in rule if isinstance(rule, list) else [rule]:
        if isinstance(part, str) and part.startswith("="):
            yield part[1:]


def spellings(name: str, vendor: str) -> Iterator[str]:
    """The ways to look a name up, in order: as written, with ``-20260131`` as ``-2026-01-31``, without ``vendor/``."""
    written = name.lower()
    for spelling in dict.fromkeys((written, written.removeprefix(f"{vendor}/"))):
        yield spelling
        dated = _COMPACT_DATE.sub(_long_date, spelling)
        if dated != spelling:
            yield dated


def _long_date(found: re.Match[str]) -> str:
    year, month, day = (int(part) for part in found.groups())
    try:
        return f"-{date(year, month, day).isoformat()}"
    except ValueError:
        return found.group(0)
