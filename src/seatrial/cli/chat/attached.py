"""Files named in a message: ``@path`` at the beginning of a word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

_NAMED = re.compile(r"(?:(?<=\s)|^)@(?:\"([^\"\n]+)\"|(\S+))")
_AFTER_A_NAME = ".,;:!?)"


def files_in(text: str) -> list[Path]:
    """The files that are there of those that the message names, each once; an ``@`` before anything else is text."""
    found: dict[Path, None] = {}
    for match in _NAMED.finditer(text):
        path = next(
            (path for name in _names(match[1] or match[2]) if (path := Path(name).expanduser()).is_file()), None
        )
        if path is not None:
            found[path] = None
    return list(found)


def names_without_file(text: str) -> list[str]:
    """What looks like the path of a file behind an ``@`` and is none."""
    named = [match[1] or match[2] for match in _NAMED.finditer(text)]
    return [
        name
        for name in named
        if ("/" in name or "." in name.strip(_AFTER_A_NAME)) and not any(Path(each).is_file() for each in _names(name))
    ]


def _names(written: str) -> Iterable[str]:
    """The name, and without the marks of the sentence behind it."""
    yield written
    yield written.rstrip(_AFTER_A_NAME)
