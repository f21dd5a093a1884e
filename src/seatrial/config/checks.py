"""``checks:`` of a test case: what must hold of the answer, decided without a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field

from seatrial.config.entity import Entity, Problem
from seatrial.config.expected_tools import invalid_pattern
from seatrial.config.fields import Flag, FreeValue, FullText, Number, Text, Texts
from seatrial.config.located import changed, derived
from seatrial.config.rules import given

KINDS = (
    "contains",
    "not_contains",
    "regex",
    "equals",
    "json_schema",
    "json_path",
    "max_latency_ms",
    "max_cost_usd",
    "python",
)
_SETTINGS = ("ignore_case", "any_of", "whole", "multiline", "matches", "exists")
_SHARED = {*_SETTINGS, "name", "weight", "group", "negated"}


class CheckConfig(Entity):
    """One check: exactly one kind. ``equals`` or ``matches`` beside ``json_path`` judge what the path leads to.

    ``not: {contains: ...}`` is the check turned round.
    """

    called: ClassVar[str] = "a check"
    synonyms: ClassVar[dict[str, str]] = {
        "latency_ms": "max_latency_ms",
        "cost_usd": "max_cost_usd",
        "pattern": "regex",
        "does_not_contain": "not_contains",
        "excludes": "not_contains",
        "includes": "contains",
        "matches_regex": "regex",
        "equal": "equals",
        "exact": "equals",
    }

    conditions = ({"anyOf": [given(kind) for kind in (*KINDS, "not")]},)

    contains: Texts | None = Field(default=None, description="Texts that all occur in the answer.")
    not_contains: Texts | None = Field(default=None, description="Texts none of which occurs in the answer.")
    regex: FullText | None = Field(default=None, description="A pattern that is found in the answer.")
    equals: FreeValue = Field(default=None, description="The whole answer, or the value at `json_path`.")
    json_schema: FreeValue = Field(default=None, description="A JSON Schema for the answer: inline, or a file.")
    json_path: FullText | None = Field(default=None, description="A path into the answer's JSON: $.items[0].price.")
    max_latency_ms: Number | None = Field(default=None, gt=0, description="Milliseconds the answer may take.")
    max_cost_usd: Number | None = Field(default=None, ge=0, description="US dollars the answer may cost.")
    python: FullText | None = Field(default=None, description="A function that judges: file.py:function.")
    ignore_case: Flag | None = Field(default=None, description="Whether case is ignored.")
    any_of: Flag | None = Field(default=None, description="Whether one of several texts is enough (contains).")
    whole: Flag | None = Field(default=None, description="Whether the whole answer must match (regex).")
    multiline: Flag | None = Field(default=None, description="Whether ^ and $ match at each line (regex).")
    matches: FullText | None = Field(default=None, description="A pattern for the value at `json_path`.")
    exists: Flag | None = Field(default=None, description="false: `json_path` must lead nowhere.")
    negated: Flag = Field(default=False, description="Whether the check is turned round.")
    name: Text | None = Field(default=None, description="The name shown in reports.")
    weight: Number = Field(default=1, gt=0, description="How much it counts in the weighted total.")
    group: Text | None = Field(default=None, description="The group whose total it counts in.")

    @property
    def kind(self) -> str:
        """The one kind that this check is of."""
        if self.json_path is not None:
            return "json_path"
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @property
    def value(self) -> Any:
        """What stands behind the kind."""
        return getattr(self, self.kind)

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that were given, by name, without the value itself."""
        names = (*_SETTINGS, "equals") if self.kind == "json_path" else _SETTINGS
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    @classmethod
    def read(cls, value: Any) -> Any:
        """``not: {...}`` as the check with ``negated``; texts to compare with stay as written."""
        if not isinstance(value, dict):
            return value
        inner = value.get("not")
        if isinstance(inner, dict) and len(value) == 1:
            value = derived(inner, inner, negated=not inner.get("negated"))
        if "json_path" not in value and value.get("equals") is not None:
            value = changed(value, "equals", _as_texts(value["equals"]))
        return value

    @classmethod
    def rules(cls, values: Mapping[str, Any]) -> Iterator[Problem]:
        """One kind, and patterns that compile."""
        given = [key for key in KINDS if key in values and not (key == "equals" and "json_path" in values)]
        if not given:
            yield Problem("ST202", "a check needs one of " + ", ".join(f"`{kind}`" for kind in KINDS))
        if len(given) > 1:
            shown = " and ".join(f"`{key}`" for key in given)
            yield Problem("ST201", f"{shown} are several checks", (given[1],), "give each check a dash of its own")
        for key in ("contains", "not_contains"):
            texts = values.get(key)
            if key in values and (not texts or any(isinstance(text, str) and not text for text in texts)):
                yield Problem("ST404", f"`{key}` looks for nothing, which holds of every answer", (key,))
        for key in ("regex", "matches"):
            if isinstance(values.get(key), str):
                yield from invalid_pattern(values[key], (key,))


def _as_texts(value: Any) -> Any:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, list | tuple):
        return [_as_texts(item) for item in value]
    return value


def _read_checks(value: Any) -> Any:
    """What ``checks:`` may be: a list, one block of which each key is a check, or ``none``, which gives None."""
    if isinstance(value, str) and value == "none":
        return None
    if not isinstance(value, dict) or "json_path" in value or "not" in value:
        return [value] if isinstance(value, dict) else value
    shared = [key for key in value if key in _SHARED]
    return [derived(value, (kind, *shared)) for kind in value if kind not in _SHARED]


Checks = Annotated[tuple[CheckConfig, ...] | None, BeforeValidator(_read_checks)]
"""The checks; None when the file says that there is nothing to check."""
