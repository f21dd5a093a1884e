"""What a judge wrote, read as the JSON object that it was asked for.

Models put fences, prose or reasoning around the object and write it like Python. All of that is read; nothing is
completed or guessed. Text without a whole object is an error.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from seatrial.core.text import excerpt
from seatrial.errors import MetricError
from seatrial.metrics.judge.material import Part

_THINKING = re.compile(r"<(think|thinking|reasoning)>", re.IGNORECASE)
_OUT_OF = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(?:/\s*(\d+(?:\.\d+)?)\s*)?")
_MAX_CHARS = 100_000
_MAX_FALSE_STARTS = 200
_SHOWN_BYTES = 4_000

T = TypeVar("T")
JsonObject = dict[str, Any]


class UnreadableReplyError(MetricError):
    """A judge's reply that says nothing that can be used; its text is in the details."""

    def __init__(self, problem: str, reply: str) -> None:
        super().__init__(
            f"the judge's reply cannot be used: {problem}", details={"reply": excerpt(reply, _SHOWN_BYTES)}
        )


def read_own(reply: str, parts: Sequence[Part], read: Callable[[str], T]) -> T:
    """What ``read`` makes of the reply, and of what is left of it without the objects that it quotes from the parts.

    Raises `UnreadableReplyError`, also when only the quoted objects hold a verdict.
    """
    found = read(reply)
    own = _without_quoted_objects(reply, [part.text for part in parts])
    if own != reply:
        try:
            read(own)
        except UnreadableReplyError as error:
            raise UnreadableReplyError("its verdict is only quoted from the material", reply) from error
    return found


def read_object(reply: str, *keys: str) -> JsonObject:
    """The one object in the reply that has all ``keys``.

    Several are accepted only if they are equal. Raises `UnreadableReplyError`.
    """
    text = _without_thinking(reply)
    if not text.strip():
        raise UnreadableReplyError("it is empty", reply)
    found = [each for each in _objects(text[:_MAX_CHARS]) if all(key in each for key in keys)]
    if not found:
        wanted = " and ".join(repr(key) for key in keys)
        raise UnreadableReplyError(f"it holds no JSON object with {wanted}", reply)
    if any(each != found[0] for each in found[1:]):
        raise UnreadableReplyError("it holds several objects that differ", reply)
    return found[0]


def _without_quoted_objects(reply: str, texts: Iterable[str]) -> str:
    """The reply without the objects that stand in one of the texts, white space aside."""
    plain = ["".join(text.split()) for text in texts]
    kept = []
    position = 0
    for start, end, _ in _spans(reply[:_MAX_CHARS]):
        squeezed = "".join(reply[start:end].split())
        if any(squeezed in text for text in plain):
            kept.append(reply[position:start])
            position = end
    return "".join([*kept, reply[position:]])


def number_at(found: Mapping[str, Any], key: str, reply: str, *, out_of: float | None = None) -> float:
    """The number under ``key``, also as text like ``4`` or, for a scale that ends at ``out_of``, ``4/5``."""
    value = found.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    written = _OUT_OF.fullmatch(value) if isinstance(value, str) else None
    if written is not None and (written[2] is None or float(written[2]) == out_of):
        return float(written[1])
    raise UnreadableReplyError(f"{key} is {value!r:.80}, which is no number", reply)


def text_at(found: Mapping[str, Any], key: str) -> str:
    """The text under ``key``, empty when there is none."""
    value = found.get(key)
    return value.strip() if isinstance(value, str) else ""


def list_at(found: Mapping[str, Any], key: str, reply: str) -> list[Any]:
    """The list under ``key``."""
    value = found.get(key)
    if isinstance(value, list):
        return value
    raise UnreadableReplyError(f"{key} is {value!r:.80}, which is no list", reply)


def _without_thinking(reply: str) -> str:
    kept = []
    position = 0
    while (opening := _THINKING.search(reply, position)) is not None:
        closing = re.compile(f"</{opening[1]}>", re.IGNORECASE).search(reply, opening.end())
        if closing is None:
            raise UnreadableReplyError("its reasoning never ends", reply)
        kept.append(reply[position : opening.start()])
        position = closing.end()
    return " ".join([*kept, reply[position:]])


def _objects(text: str) -> Iterator[JsonObject]:
    return (found for _, _, found in _spans(text))


def _spans(text: str) -> Iterator[tuple[int, int, JsonObject]]:
    """Every outermost object with its beginning and end, in the order of the text."""
    position = false_starts = 0
    while (start := text.find("{", position)) >= 0 and false_starts < _MAX_FALSE_STARTS:
        end = _end_of_object(text, start)
        found = None if end is None else _parsed(text[start:end])
        if found is None or end is None:
            position = start + 1
            false_starts += 1
        else:
            yield start, end, found
            position = end


def _end_of_object(text: str, start: int) -> int | None:
    """The place after the brace that closes the one at ``start``, strings in either quotes passed over."""
    depth = 0
    quote = ""
    place = start
    while place < len(text):
        character = text[place]
        if quote:
            if character == "\\":
                place += 1
            elif character == quote:
                quote = ""
        elif character == '"' or (character == "'" and _opens_string(text, place)):
            quote = character
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                return place + 1
        place += 1
    return None


def _opens_string(text: str, place: int) -> bool:
    """Whether a single quote begins a string, as after a brace, bracket, colon or comma."""
    return text[max(place - 40, 0) : place].rstrip()[-1:] in ("{", "[", ":", ",", "(")


class _TwiceError(Exception):
    """A key stands twice in one object: which value is meant cannot be known."""


def _parsed(text: str) -> JsonObject | None:
    try:
        found = json.loads(text, strict=False, object_pairs_hook=_object)
    except _TwiceError:
        return None
    except (ValueError, RecursionError):
        found = _python_literal(text)
    return found if isinstance(found, dict) and all(isinstance(key, str) for key in found) else None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _TwiceError
    return found


def _python_literal(text: str) -> object:
    try:
        tree = ast.parse(text, mode="eval")
        for node in ast.walk(tree):
            if isinstance(node, ast.Dict):
                keys = [ast.literal_eval(key) for key in node.keys if key is not None]
                if len(set(keys)) < len(keys):
                    return None
        return ast.literal_eval(tree)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None
