"""What an argument of a tool call is compared with."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Protocol

from seatrial.config.matcher_names import slip_of_matcher
from seatrial.errors import MetricError
from seatrial.metrics.json_values import contains_value, same_value
from seatrial.metrics.regex import compile_pattern, find
from seatrial.metrics.schema import JsonSchemaValidator
from seatrial.metrics.trajectory.calls import shortened, shown_value

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?(%)?")
_DROPPED = str.maketrans("", "", ",_'\u2019")


class ArgumentMatcher(Protocol):
    """Says whether one argument is as expected."""

    @property
    def shown(self) -> str:
        """The expectation in few words."""

    async def matches(self, value: object) -> bool:
        """Whether ``value`` is as expected."""


@dataclass(frozen=True)
class Literal:
    """The same JSON value: 1 equals 1.0, but True is no number; strings are compared in Unicode form NFC."""

    value: Any

    @property
    def shown(self) -> str:
        """The value."""
        return shortened(shown_value(self.value))

    async def matches(self, value: object) -> bool:
        """Whether both are the same."""
        return same_value(self.value, value)


@dataclass(frozen=True)
class Regex:
    """The whole argument, written as text, matches a regular expression."""

    pattern: re.Pattern[str]

    @property
    def shown(self) -> str:
        """The pattern."""
        return f"regex {shortened(self.pattern.pattern)}"

    async def matches(self, value: object) -> bool:
        """Whether the whole text matches."""
        text = value if isinstance(value, str) else shown_value(value)
        return await find(self.pattern, text, whole=True) is not None


@dataclass(frozen=True)
class Fuzzy:
    """The same but for case, white space and separators; ``12 %`` equals 0.12.

    With ``similarity`` below 1 texts may also differ in letters (ratio of `difflib.SequenceMatcher`, 0 to 1).
    """

    text: str
    similarity: float = 1.0

    @property
    def shown(self) -> str:
        """The text."""
        return f"about {shortened(shown_value(self.text))}"

    async def matches(self, value: object) -> bool:
        """Whether both are about the same."""
        given = _plain(value if isinstance(value, str) else shown_value(value))
        wanted = _plain(self.text)
        numbers = _number(given), _number(wanted)
        if numbers[0] is not None and numbers[1] is not None:
            return abs(numbers[0] - numbers[1]) <= 1e-9 * max(1.0, abs(numbers[1]))
        if given == wanted:
            return True
        return self.similarity < 1 and SequenceMatcher(None, given, wanted).ratio() >= self.similarity


@dataclass(frozen=True)
class Anything:
    """Any value, but there must be one."""

    shown = "any"

    async def matches(self, value: object) -> bool:
        """Yes."""
        del value
        return True


@dataclass(frozen=True)
class Subset:
    """Every key and item that is named is there, at any depth; more may be."""

    value: Any

    @property
    def shown(self) -> str:
        """The value."""
        return f"holding {shortened(shown_value(self.value))}"

    async def matches(self, value: object) -> bool:
        """Whether all of it is there."""
        return contains_value(value, self.value)


@dataclass(frozen=True)
class Schema:
    """A value that a JSON Schema accepts."""

    validator: JsonSchemaValidator

    @property
    def shown(self) -> str:
        """The schema."""
        return f"schema {shortened(shown_value(self.validator.schema))}"

    async def matches(self, value: object) -> bool:
        """Whether the schema accepts it."""
        return not self.validator.complaints(value)


def matcher_of(plain: object) -> ArgumentMatcher:
    """The matcher that a value of an agent file stands for.

    A map with the one key ``regex``, ``fuzzy`` (also with ``similarity``), ``any``, ``schema``, ``subset`` or
    ``literal`` is that matcher; every other value is a literal. Raises `MetricError`, for a slip in such a key too.
    """
    if not isinstance(plain, Mapping):
        return Literal(plain)
    slip = slip_of_matcher(plain)
    if slip is not None and slip.is_sure:
        hint = f"did you mean {slip.meant}? A value of this form is written {{'literal': {{'{slip.key}': ...}}}}"
        raise MetricError(f"{slip.key} is no matcher of an argument", hint=hint)
    if set(plain) == {"fuzzy", "similarity"}:
        return _fuzzy(plain["fuzzy"], plain["similarity"])
    if len(plain) != 1:
        return Literal(dict(plain))
    (kind, value), *_ = plain.items()
    match kind:
        case "literal":
            return Literal(value)
        case "regex":
            return Regex(compile_pattern(_text(kind, value)))
        case "fuzzy":
            return _fuzzy(value, 1.0)
        case "any":
            return Anything()
        case "subset":
            return Subset(value)
        case "schema":
            return Schema(JsonSchemaValidator(_schema(value)))
        case _:
            return Literal(dict(plain))


def _fuzzy(text: object, similarity: object) -> Fuzzy:
    if isinstance(similarity, bool) or not isinstance(similarity, int | float) or not 0 <= similarity <= 1:
        raise MetricError(f"similarity is a number from 0 to 1, not {similarity!r}")
    return Fuzzy(text if isinstance(text, str) else shown_value(text), float(similarity))


def _text(kind: str, value: object) -> str:
    if not isinstance(value, str):
        raise MetricError(f"{kind} takes a text, not {value!r}")
    return value


def _schema(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise MetricError(f"schema takes a JSON Schema, not {value!r}")
    return value


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).casefold().translate(_DROPPED).split())


def _number(text: str) -> float | None:
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    return float(text[:-1]) / 100 if found.group(1) else float(text)
