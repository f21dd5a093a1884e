"""Which values are secrets, and how they are kept out of whatever is shown or written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote, unquote_plus, urlsplit

from seatrial.config.located import FilledText

MASK = "[secret]"
_NAME = re.compile(r"key(?!word)|token(?!izer)|secret|password|passwd|authorization|credential|connection", re.I)
_TOKEN_COUNT = re.compile(r"(?:max|min|num|budget|input|output|total)\w*tokens$|^tokens$", re.I)
_HOLDERS = {"env", "headers"}
_NOT_SEARCHED = {"test_cases", "parameters", "response_format", "instructions"}
_SCHEMES = ("bearer", "basic", "token", "apikey", "digest")
_HARMLESS_PARAMETERS = {"api-version", "api_version", "version"}
_SECRET_PARAMETERS = {"auth", "code", "sig", "signature"}
_PLAIN_WORDS = re.compile(r"[a-z]+(?:[-_][a-z]+)*|\d{1,8}")
_MIN_SEARCHED = 6
_MIN_IN_ENVIRONMENT = 8


def is_secret_name(name: str) -> bool:
    """Whether a key or variable of this name holds a secret."""
    return _NAME.search(name) is not None and _TOKEN_COUNT.search(name) is None


def is_holder_of_secrets(name: str) -> bool:
    """Whether everything under a key of this name is secret."""
    return name in _HOLDERS or is_secret_name(name)


def secrets_of_environment(environ: Mapping[str, str]) -> set[str]:
    """Values of variables with secret names that are long enough to be searched for in any text."""
    return {value for name, value in environ.items() if len(value) >= _MIN_IN_ENVIRONMENT and is_secret_name(name)}


def secret_values(data: Any) -> set[str]:
    """Every text in an agent file that stands under a secret's name, under ``env`` or under ``headers``.

    Texts of test cases and schemas are left out: there such names are the subject, not the holder of a secret.
    """
    found: set[str] = set()
    _collect(data, False, found, set())
    return found


def _collect(data: Any, is_secret: bool, found: set[str], seen: set[tuple[int, bool]]) -> None:
    if isinstance(data, str):
        if isinstance(data, FilledText) and not data.is_whole:
            return
        found.update(_in_address(data))
        if is_secret:
            found.update(_without_scheme(data))
        return
    if not isinstance(data, dict | list | tuple) or (id(data), is_secret) in seen:
        return
    seen.add((id(data), is_secret))
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in _NOT_SEARCHED:
                _collect(value, is_secret or is_holder_of_secrets(str(key)), found, seen)
        return
    previous = ""
    for value in data:
        follows_option = previous.startswith("-") and "=" not in previous and is_secret_name(previous)
        _collect(value, is_secret or follows_option, found, seen)
        found.update(_in_option(value))
        previous = value if isinstance(value, str) else ""


def _without_scheme(value: str) -> Iterator[str]:
    """The value, and the part behind an authorization scheme."""
    value = value.strip()
    if value:
        yield value
    scheme, _, rest = value.partition(" ")
    if rest.strip() and scheme.lower() in _SCHEMES:
        yield rest.strip()


def _in_address(value: str) -> Iterator[str]:
    """The password of a URL and what its query says, in every form in which it may turn up."""
    if "://" not in value:
        return
    try:
        parts = urlsplit(value.strip())
        password = parts.password
    except ValueError:
        return
    if password:
        yield from {password, unquote(password)}
    is_address_alone = len(value.split()) == 1
    for pair in filter(None, parts.query.split("&")):
        name, found, text = pair.partition("=")
        if is_secret_name(name) or (is_address_alone and name not in _HARMLESS_PARAMETERS):
            yield from _in_parameter(name, text if found else name, pair)


def _in_parameter(name: str, text: str, pair: str) -> Iterator[str]:
    """The value as it stands and decoded; a short one, and an ordinary word, only together with its name."""
    is_ordinary = _PLAIN_WORDS.fullmatch(text) and not (name in _SECRET_PARAMETERS or is_secret_name(name))
    if len(text) < _MIN_SEARCHED or is_ordinary:
        yield pair
    else:
        yield from {text, unquote(text), unquote_plus(text)}


def _in_option(value: Any) -> Iterator[str]:
    """The value in ``--api-key=...``."""
    if isinstance(value, str) and value.startswith("-"):
        name, found, text = value.partition("=")
        if found and text and is_secret_name(name):
            yield text


def mask(text: str, secrets: Iterable[str]) -> str:
    """The text without any of the secrets, in whichever usual escaping they stand in it.

    Values under six characters are not searched for: they would blot out ordinary words.
    """
    pattern = _pattern(secrets if isinstance(secrets, frozenset) else frozenset(secrets))
    return text if pattern is None else pattern.sub(MASK, text)


@lru_cache(maxsize=64)
def _pattern(secrets: frozenset[str]) -> re.Pattern[str] | None:
    forms = {form for secret in secrets if len(secret) >= _MIN_SEARCHED for form in _forms(secret)}
    if not forms:
        return None
    return re.compile("|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True)))


def _forms(secret: str) -> Iterator[str]:
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield quote(secret, safe="")


def masked(data: Any, secrets: Iterable[str] = ()) -> Any:
    """A copy of plain data in which secrets are replaced, by the names they stand under and by their values."""
    return _masked(data, frozenset(secrets))


def _masked(data: Any, secrets: frozenset[str], *, is_secret: bool = False, by_name: bool = True) -> Any:
    if isinstance(data, dict):
        made = {}
        for key, value in data.items():
            looks = by_name and key not in _NOT_SEARCHED
            hides = looks and (is_secret or is_holder_of_secrets(str(key)))
            shown = mask(key, secrets) if isinstance(key, str) else key
            made[shown] = _masked(value, secrets, is_secret=hides, by_name=looks)
        return made
    if isinstance(data, list | tuple):
        return [_masked(value, secrets, is_secret=is_secret, by_name=by_name) for value in data]
    if isinstance(data, str):
        return MASK if is_secret else mask(data, secrets)
    return data
