"""``checks:`` of a test case: what must hold of the answer, decided without a model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import Field

from seatrial.config.entity import Entity, Problem
from seatrial.config.expected_tools import invalid_pattern
from seatrial.config.fields import Flag, FreeValue, FullText, Number, Text, Texts

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


class CheckConfig(Entity):
    """One check: exactly one kind; ``equals``, ``contains`` or ``regex`` beside ``json_path`` judge what it selects."""

    called: ClassVar[str] = "a check"
    synonyms: ClassVar[dict[str, str]] = {
        "latency_ms": "max_latency_ms",
        "cost_usd": "max_cost_usd",
        "matches": "regex",
    }

    contains: Texts | None = Field(default=None, description="Texts that all occur in the answer.")
    not_contains: Texts | None = Field(default=None, description="Texts none of which occurs in the answer.")
    regex: FullText | None = Field(default=None, description="A pattern that is found in the answer.")
    equals: FreeValue = Field(default=None, description="The whole answer, or the value that `json_path` selects.")
    json_schema: FreeValue = Field(default=None, description="A JSON Schema that the answer meets: inline, or a file.")
    json_path: FullText | None = Field(
        default=None, description="A path into the answer's JSON, like $.items[0].price."
    )
    max_latency_ms: Number | None = Field(default=None, gt=0, description="Milliseconds the answer may take.")
    max_cost_usd: Number | None = Field(default=None, ge=0, description="US dollars the answer may cost.")
    python: FullText | None = Field(default=None, description="A function that judges the answer: file.py:function.")
    ignore_case: Flag = Field(default=False, description="Whether upper and lower case are the same to this check.")
    name: Text | None = Field(default=None, description="The name shown in reports.")

    @property
    def kind(self) -> str:
        """The one kind that this check is of; ``json_path`` when others judge its selection."""
        if self.json_path is not None:
            return "json_path"
        return next(kind for kind in KINDS if getattr(self, kind) is not None)

    @classmethod
    def rules(cls, values: Mapping[str, Any]) -> Iterator[Problem]:
        """One kind, and patterns that compile."""
        given = [key for key in values if key in KINDS]
        if not given:
            yield Problem("ST202", "a check needs one of " + ", ".join(f"`{kind}`" for kind in KINDS))
        if "json_path" in given:
            given = [key for key in given if key not in ("json_path", "equals", "contains", "regex")]
            given.append("json_path")
        if len(given) > 1:
            shown = " and ".join(f"`{key}`" for key in given)
            yield Problem(
                "ST201", f"{shown} are several checks", (given[1],), "start each check with a dash of its own"
            )
        if isinstance(values.get("regex"), str):
            yield from invalid_pattern(values["regex"], ("regex",))


def read_checks(value: Any) -> Any:
    """What ``checks:`` may be: a list, one block of which each key is a check, or ``none`` (given back as None)."""
    if isinstance(value, str) and value == "none":
        return None
    if isinstance(value, dict):
        if "json_path" in value:
            return [value]
        shared = {key: item for key, item in value.items() if key == "ignore_case"}
        return [{key: item, **shared} for key, item in value.items() if key not in shared]
    return value
