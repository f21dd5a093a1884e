"""Globs that choose files below a folder, read as in ``.gitignore``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_PARTS = re.compile(r"\*\*/|\*\*|\*|\?|\[[!^]?[^\]/]+\]|.", re.DOTALL)
_WILD = re.compile(r"[*?\[]")


def matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Tells of a path below the folder, with forward slashes, whether one of the patterns takes it.

    A pattern with a slash before its end begins at the folder (``notes/*.md``), one without is looked for at every
    depth (``*.md``). ``*`` and ``?`` stop at slashes, ``**`` does not. A name without wild cards takes a folder with
    everything in it, too.
    """
    expressions = [re.compile(_expression(pattern), re.DOTALL) for pattern in patterns]
    return lambda path: any(expression.fullmatch(path) for expression in expressions)


def _expression(pattern: str) -> str:
    anchored = "/" in pattern.rstrip("/")
    body = pattern.removeprefix("./").strip("/")
    inside = "" if _WILD.search(body.rpartition("/")[2]) else "(?:/.*)?"
    return ("" if anchored else "(?:.*/)?") + "".join(map(_part, _PARTS.findall(body))) + inside


def _part(part: str) -> str:
    match part:
        case "**/":
            return "(?:.*/)?"
        case "**":
            return ".*"
        case "*":
            return "[^/]*"
        case "?":
            return "[^/]"
        case _ if len(part) > 1:
            return _one_of(part)
        case _:
            return re.escape(part)


def _one_of(part: str) -> str:
    """A set of characters such as ``[0-9]`` or ``[!a-c]``; literal where it is none."""
    inner = part[1:-1].replace("\\", r"\\").replace("[", r"\[")
    expression = f"[^/{inner[1:]}]" if inner[0] in "!^" else f"[{inner}]"
    try:
        re.compile(expression)
    except re.error:
        return re.escape(part)
    return expression
