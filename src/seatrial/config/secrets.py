"""Which values are secrets, and how they are kept out of whatever is shown or written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, urlsplit

MASK = "[secret]"
_NAME = re.compile(
    r"key(?!word)|token(?!s\b|s$|izer)|secret|password|passwd|authorization|credential|connection", re.IGNORECASE
)
_HOLDERS = {"env", "headers"}
_MIN_SEARCHED = 6
_LINE = re.compile(r"""^(\s*(?:-\s+)?["']?(?P<name>[\w.-]+)["']?\s*[:=]\s*)(?P<value>\S.*)$""")


def is_secret_name(name: str) -> bool:
    """Whether a key or variable of this name holds a secret."""
    return _NAME.search(name) is not None


def secret_values(data: Any) -> set[str]:
    """Every text in the data that stands under a secret's name, under ``env`` or under ``headers``."""
    found: set[str] = set()
    _collect(data, False, found, set())
    return found


def _collect(data: Any, is_secret: bool, found: set[str], seen: set[tuple[int, bool]]) -> None:
    if isinstance(data, str):
        if is_secret:
            found.update(_with_parts(data))
        return
    if not isinstance(data, dict | list | tuple) or (id(data), is_secret) in seen:
        return
    seen.add((id(data), is_secret))
    if isinstance(data, dict):
        for key, value in data.items():
            _collect(value, is_secret or key in _HOLDERS or is_secret_name(str(key)), found, seen)
        return
    for value in data:
        _collect(value, is_secret, found, seen)


def _with_parts(value: str) -> set[str]:
    """The value, the part behind an authorization scheme, and the password of an address."""
    parts = {value.strip()}
    scheme, _, rest = value.strip().partition(" ")
    if rest and scheme.lower() in ("bearer", "basic", "token", "apikey", "digest"):
        parts.add(rest.strip())
    if "://" in value:
        try:
            password = urlsplit(value.strip()).password
        except ValueError:
            password = None
        if password:
            parts.add(password)
    return {part for part in parts if part}


def mask(text: str, secrets: Iterable[str]) -> str:
    """The text without any of the secrets, in whichever usual escaping they stand in it.

    Values under six characters are not searched for: they would blot out ordinary words.
    """
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) < _MIN_SEARCHED:
            continue
        for form in (
            secret,
            json.dumps(secret)[1:-1],
            json.dumps(secret, ensure_ascii=False)[1:-1],
            quote(secret, safe=""),
        ):
            if form in text:
                text = text.replace(form, MASK)
    return text


def masked(data: Any, secrets: Iterable[str] = ()) -> Any:
    """A copy of plain data in which secrets are replaced, by the names they stand under and by their values."""
    known = [secret for secret in secrets if len(secret) >= _MIN_SEARCHED]
    return _masked(data, False, known)


def _masked(data: Any, is_secret: bool, secrets: list[str]) -> Any:
    if isinstance(data, dict):
        return {
            key: _masked(value, is_secret or key in _HOLDERS or is_secret_name(str(key)), secrets)
            for key, value in data.items()
        }
    if isinstance(data, list | tuple):
        return [_masked(value, is_secret, secrets) for value in data]
    if is_secret and isinstance(data, str):
        return MASK
    return mask(data, secrets) if isinstance(data, str) else data


def mask_line(lines: list[str], number: int) -> str:
    """Line ``number`` (from 1) of a file that may not parse, without the value of a secret key.

    Which block a line stands in is judged by the indents above it.
    """
    line = lines[number - 1]
    match = _LINE.match(line)
    if match is not None and (is_secret_name(match["name"]) or _stands_in_holder(lines, number)):
        return match[1] + MASK
    if _stands_in_holder(lines, number):
        indent = line[: len(line) - len(line.lstrip())]
        return indent + MASK
    return re.sub(r"""(["']?([\w.-]+)["']?\s*:\s*)("[^"]*"?|'[^']*'?|[^,}\]]+)""", _masked_pair, line)


def _masked_pair(match: re.Match[str]) -> str:
    return match[1] + MASK if is_secret_name(match[2]) else match[0]


def _stands_in_holder(lines: list[str], number: int) -> bool:
    indent = _indent(lines[number - 1])
    for above in range(number - 2, -1, -1):
        text = lines[above]
        if not text.strip() or _indent(text) >= indent:
            continue
        indent = _indent(text)
        name = text.strip().removeprefix("- ").partition(":")[0].strip("\"' ")
        if name in _HOLDERS or is_secret_name(name):
            return True
        if indent == 0:
            return False
    return False


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
