"""Assertions that are decided without a model or a reference: each becomes one check."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from seatrial.config.expected_tools import invalid_pattern
from seatrial.config.notes import Keys
from seatrial.config.promptfoo.template import shown

_NAMED_GROUP = re.compile(r"\(\?<(?![=!])")
_JS_FORM = re.compile(r"/(.*)/([a-z]*)", re.DOTALL)


@dataclass
class Given:
    """One assertion: its keys, its value with variables filled, its threshold."""

    keys: Keys
    value: Any
    threshold: float | None

    @property
    def text(self) -> str:
        """The value as one text."""
        return shown(self.value)

    @property
    def texts(self) -> list[str]:
        """The value as texts: those of a list, else the one."""
        return [shown(item) for item in self.value] if isinstance(self.value, list) else [self.text]


class RefusedError(Exception):
    """The assertion cannot be carried over; the message says what to write instead."""


def _texts(
    *, ignore_case: bool = False, any_of: bool = False, is_list: bool = False
) -> Callable[[Given], dict[str, Any]]:
    def made(given: Given) -> dict[str, Any]:
        is_one_text = is_list and isinstance(given.value, str)
        texts = [text.strip() for text in given.text.split(",")] if is_one_text else given.texts
        if not texts or not all(texts):
            raise RefusedError("it looks for nothing, which holds of every answer")
        check: dict[str, Any] = {"contains": texts[0] if len(texts) == 1 else texts}
        if any_of and len(texts) > 1:
            check["any_of"] = True
        return check | ({"ignore_case": True} if ignore_case else {})

    return made


def _equals(given: Given) -> dict[str, Any]:
    if isinstance(given.value, dict | list):
        return {"json_path": "$", "equals": given.value}
    return {"equals": given.text}


def _starts_with(given: Given) -> dict[str, Any]:
    if not given.text:
        raise RefusedError("it looks for nothing, which holds of every answer")
    return {"regex": r"\A" + re.escape(given.text)}


def _regex(given: Given) -> dict[str, Any]:
    pattern, flags = given.text, ""
    slashed = _JS_FORM.fullmatch(pattern)
    if slashed is not None and set(slashed[2]) <= set("gimsuy"):
        pattern, flags = slashed[1], slashed[2]
    pattern = _NAMED_GROUP.sub("(?P<", pattern)
    if list(invalid_pattern(pattern, ())):
        raise RefusedError("Python reads this pattern otherwise; write it as Python's `re` has it")
    if not pattern.strip():
        raise RefusedError("it looks for nothing, which holds of every answer")
    check: dict[str, Any] = {"regex": f"(?s){pattern}" if "s" in flags else pattern}
    return check | ({"ignore_case": True} if "i" in flags else {}) | ({"multiline": True} if "m" in flags else {})


def _json_schema(given: Given) -> dict[str, Any]:
    value = given.value
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except ValueError:
            raise RefusedError("its schema cannot be read as JSON") from None
    if value in (None, ""):
        value = {}
    if not isinstance(value, dict):
        raise RefusedError("a schema is a block; write `json_schema: {...}`")
    return {"json_schema": value}


def _limit(key: str) -> Callable[[Given], dict[str, Any]]:
    def made(given: Given) -> dict[str, Any]:
        if given.threshold is None or given.threshold <= 0:
            raise RefusedError("it needs a threshold above 0")
        return {key: short(given.threshold)}

    return made


CHECKS: dict[str, Callable[[Given], dict[str, Any]]] = {
    "equals": _equals,
    "contains": _texts(),
    "icontains": _texts(ignore_case=True),
    "contains-all": _texts(is_list=True),
    "icontains-all": _texts(ignore_case=True, is_list=True),
    "contains-any": _texts(any_of=True, is_list=True),
    "icontains-any": _texts(ignore_case=True, any_of=True, is_list=True),
    "starts-with": _starts_with,
    "regex": _regex,
    "is-json": _json_schema,
    "contains-json": _json_schema,
    "cost": _limit("max_cost_usd"),
    "latency": _limit("max_latency_ms"),
}


def short(number: float) -> float | int:
    """A whole number without its point."""
    return int(number) if float(number).is_integer() else number
