"""Arguments for a tool, taken from the words of the user's message; nothing is made up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seatrial.providers.local_meaning import Meaning, spoken

_LONGEST_SPAN = 3
_DIGIT_BONUS = 0.5
_NAME_BONUS = 0.25
_NAME_BONUS_PER_WORD = 0.06
_OPTIONAL_CLOSENESS = 0.4
_OPTIONAL_NUMBER_CLOSENESS = 0.3
_QUERY_NAMES = frozenset(
    {"query", "question", "search", "search query", "text", "message", "prompt", "input", "request"}
)
_NAMED_BONUS = 0.5
_SHORT = 2
_BETWEEN = frozenset({"is", "of", "called", "named", "to", "="})
_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NEGATION = re.compile(r"\b(no|not|without|don't|never)\b", re.I)


@dataclass(frozen=True, slots=True)
class Filled:
    """The arguments that were found, and the descriptions of the required ones that were not.

    ``has_code`` says that one of them is a code (``A-1001``) such as its description shows: strong evidence that the
    message is for this tool.
    """

    arguments: dict[str, Any]
    missing: tuple[str, ...] = ()
    has_code: bool = False


@dataclass(frozen=True, slots=True)
class _Slot:
    name: str
    description: str
    schema: Mapping[str, Any]
    is_required: bool


@dataclass(frozen=True, slots=True)
class _Number:
    value: float | int
    around: str


def fill_arguments(meaning: Meaning, message: str, parameters: Mapping[str, Any]) -> Filled:
    """A value for each parameter of an object schema that the message has one for."""
    required = parameters.get("required", ())
    numbers = _numbers(message)
    arguments: dict[str, Any] = {}
    missing: list[str] = []
    has_code = False
    for name, schema in parameters.get("properties", {}).items():
        typed = _first_typed(schema if isinstance(schema, dict) else {})
        slot = _Slot(name, _described(name, schema), typed, name in required)
        value = _value(meaning, message, slot, numbers)
        if value is not None:
            arguments[name] = value
            has_code = has_code or (isinstance(value, str) and _has_digit(value) and _has_digit(slot.description))
        elif slot.is_required:
            missing.append(slot.description)
    return Filled(arguments, tuple(missing), has_code)


def same_for_each(message: str, arguments: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The arguments once for each code in the message that is built like the one they hold (``A-1001``, ``B-2040``)."""
    for name, value in arguments.items():
        if isinstance(value, str) and _has_digit(value) and value != message:
            codes = [span.text for span in _spans(message) if _shape(span.text) == _shape(value)]
            return [{**arguments, name: code} for code in dict.fromkeys(codes)]
    return [dict(arguments)]


def _described(name: str, schema: Any) -> str:
    text = schema.get("description") if isinstance(schema, dict) else None
    return str(text or spoken(name)).strip().rstrip(".")


def _first_typed(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema itself, or the first alternative of a union that is not null."""
    for key in ("anyOf", "oneOf"):
        for option in schema.get(key, ()):
            if isinstance(option, dict) and option.get("type") != "null":
                return option
    kind = schema.get("type")
    if isinstance(kind, list):
        return {**schema, "type": next((name for name in kind if name != "null"), "string")}
    return schema


def _value(meaning: Meaning, message: str, slot: _Slot, numbers: list[_Number]) -> Any:
    choices = _choices(slot.schema)
    if choices:
        return _choice(meaning, message, slot, choices)
    kind = slot.schema.get("type", "string")
    if kind == "boolean":
        return _truth(message, slot)
    if kind in ("integer", "number"):
        return _take_number(meaning, slot, numbers, whole=kind == "integer")
    if kind == "array":
        return _several(meaning, message, slot, numbers)
    return _text(meaning, message, slot) if kind == "string" else None


def _choices(schema: Mapping[str, Any]) -> list[Any]:
    return [schema["const"]] if "const" in schema else list(schema.get("enum", ()))


def _choice(meaning: Meaning, message: str, slot: _Slot, choices: Sequence[Any]) -> Any:
    """The choice that the message names; for a required one that it does not name, the closest in meaning."""
    named = _named_choices(message, choices)
    if named or not slot.is_required:
        return named[0] if named else None
    scores = meaning.closeness(message, [f"{slot.description}: {spoken(str(choice))}" for choice in choices])
    return choices[max(range(len(choices)), key=lambda place: scores[place])]


def _named_choices(message: str, choices: Sequence[Any]) -> list[Any]:
    """Choices whose words stand in the message, longer ones first."""
    said = spoken(message)
    longest_first = sorted(choices, key=lambda choice: -len(str(choice)))
    return [item for item in longest_first if re.search(rf"(?<!\w){re.escape(spoken(str(item)))}(?!\w)", said)]


def _truth(message: str, slot: _Slot) -> bool | None:
    """True or false when the message says the parameter's name; a required one that it does not say is false."""
    before, name, _after = spoken(message).partition(spoken(slot.name))
    if not name:
        return False if slot.is_required else None
    return _NEGATION.search(before[-20:]) is None


def _numbers(message: str) -> list[_Number]:
    """The numbers of the message, in digits or as words up to twelve, each with the words around it."""
    words = message.split()
    found: list[_Number] = []
    for place, word in enumerate(words):
        bare = word.strip(".,;:!?\"'()[]#$€£%").lower()
        around = " ".join(words[max(place - 2, 0) : place + 3])
        if bare in _NUMBER_WORDS:
            found.append(_Number(_NUMBER_WORDS.index(bare) + 1, around))
        elif _NUMBER.fullmatch(bare):
            value = float(bare.replace(",", "."))
            found.append(_Number(int(value) if value.is_integer() else value, around))
    return found


def _take_number(meaning: Meaning, slot: _Slot, numbers: list[_Number], *, whole: bool) -> float | int | None:
    """The number whose surroundings fit the description best, of those that no other parameter took."""
    usable = [number for number in numbers if isinstance(number.value, int) or not whole]
    if not usable:
        return None
    scores = meaning.closeness(slot.description, [number.around for number in usable])
    best = max(range(len(usable)), key=lambda place: scores[place])
    if not slot.is_required and scores[best] < _OPTIONAL_NUMBER_CLOSENESS:
        return None
    numbers.remove(usable[best])
    return usable[best].value


def _several(meaning: Meaning, message: str, slot: _Slot, numbers: list[_Number]) -> list[Any] | None:
    """All choices or numbers that the message names; a list of one for texts."""
    items = slot.schema.get("items")
    element = _first_typed(items if isinstance(items, dict) else {})
    choices = _choices(element)
    if choices:
        return _named_choices(message, choices) or None
    if element.get("type") in ("integer", "number"):
        whole = element["type"] == "integer"
        return [number.value for number in numbers if isinstance(number.value, int) or not whole] or None
    found = _value(meaning, message, replace(slot, schema=element), numbers)
    return None if found is None else [found]


def _text(meaning: Meaning, message: str, slot: _Slot) -> str | None:
    """The whole message for a search text; else the run of one to three words that fits the description best."""
    if spoken(slot.name) in _QUERY_NAMES:
        return message
    named = _named_by(message, slot)
    spans = [span for span in _spans(message) if not named.is_in(span)]
    pattern = slot.schema.get("pattern")
    if isinstance(pattern, str):
        spans = [span for span in spans if re.search(pattern, span.text)]
    elif _has_digit(slot.description):
        spans = [span for span in spans if all(map(_has_digit, span.text.split()))]
    if not spans:
        return None
    closeness = meaning.closeness(slot.description, [span.text for span in spans])
    scores = [
        close + span.bonus(slot.description) + (_NAMED_BONUS if span.start in named.values else 0.0)
        for close, span in zip(closeness, spans, strict=True)
    ]
    best = max(range(len(spans)), key=lambda place: scores[place])
    return spans[best].text if slot.is_required or scores[best] >= _OPTIONAL_CLOSENESS else None


@dataclass(frozen=True, slots=True)
class _Naming:
    """Places of words that only say which parameter is meant (``the city Oslo``), and where such values begin."""

    names: frozenset[int]
    values: frozenset[int]

    def is_in(self, span: _Span) -> bool:
        """Whether the span holds a name, and so is no value."""
        return any(place in self.names for place in range(span.start, span.start + span.words))


def _named_by(message: str, slot: _Slot) -> _Naming:
    """A word of the parameter's name, before what is written as a value; one of its description, right before it."""
    words = _words(message)
    own = set(spoken(slot.name).split())
    described = set(_words(slot.description.lower())) - _BETWEEN
    written = {place for place, word in enumerate(words) if _is_written_as_value(word)}
    names: set[int] = set()
    values: set[int] = set()
    for place, word in enumerate(words):
        if len(word) <= _SHORT or (word not in own and word not in described):
            continue
        value = place + 2 if words[place + 1 : place + 2] and words[place + 1].lower() in _BETWEEN else place + 1
        if value in written:
            values.add(value)
        if value in written or (word in own and any(other > place or other == place - 1 for other in written - {0})):
            names.add(place)
    return _Naming(frozenset(names), frozenset(values))


def _is_written_as_value(word: str) -> bool:
    return word[:1].isupper() or _has_digit(word)


@dataclass(frozen=True, slots=True)
class _Span:
    text: str
    words: int
    start: int

    def bonus(self, description: str) -> float:
        """More for a code where the description shows one, and for words written as names."""
        digits = _DIGIT_BONUS if _has_digit(self.text) and _has_digit(description) else 0.0
        is_name = self.start > 0 and all(word[0].isupper() for word in self.text.split())
        return digits + (_NAME_BONUS + _NAME_BONUS_PER_WORD * self.words if is_name else 0.0)


def _spans(message: str) -> list[_Span]:
    words = _words(message)
    spans: list[_Span] = []
    for length in range(1, _LONGEST_SPAN + 1):
        for start in range(len(words) - length + 1):
            part = words[start : start + length]
            if all(part):
                spans.append(_Span(" ".join(part), length, start))
    return spans


def _words(message: str) -> list[str]:
    return [word.strip(".,;:!?\"'()[]#") for word in message.split()]


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _shape(text: str) -> str:
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "0", text))
