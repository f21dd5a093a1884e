"""``expected_tools:`` of a test case: which calls the agent should make, and with what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from seatrial.config.entity import Entity, Problem
from seatrial.config.fields import FreeValue, FullText, Whole

MatcherKind = Literal["literal", "regex", "fuzzy", "any"]
CallOrder = Literal["any", "in_order", "exact"]


class ArgumentMatcher(Entity):
    """What an argument must be: a literal value, or ``{regex: ...}``, ``{fuzzy: ...}``, ``{any: true}``."""

    called: ClassVar[str] = "an argument matcher"

    kind: MatcherKind = "literal"
    value: FreeValue = None

    @classmethod
    def read(cls, value: Any) -> Any:
        """The matcher that the value in the file stands for."""
        if isinstance(value, dict) and len(value) == 1:
            kind, wanted = next(iter(value.items()))
            if kind in ("literal", "regex", "fuzzy", "any"):
                return {"kind": kind, "value": wanted}
        if isinstance(value, dict) and value.keys() == {"kind", "value"}:
            return value
        return {"kind": "literal", "value": value}

    @classmethod
    def rules(cls, values: Mapping[str, Any]) -> Iterator[Problem]:
        """Patterns are texts that compile."""
        kind, value = values.get("kind"), values.get("value")
        if kind not in ("regex", "fuzzy"):
            return
        if not isinstance(value, str):
            yield Problem("ST105", f"`{kind}` must be a text", (), value=value)
        elif kind == "regex":
            yield from invalid_pattern(value)


class ExpectedToolConfig(Entity):
    """One expected tool. A plain name is accepted."""

    called: ClassVar[str] = "an expected tool"
    synonyms: ClassVar[dict[str, str]] = {"arguments": "args", "tool": "name", "times": "count"}

    name: FullText = Field(description="The tool's name, exactly.")
    args: dict[str, ArgumentMatcher] = Field(
        default_factory=dict, description="Arguments that the call must have; others may be there too."
    )
    count: Whole | None = Field(
        default=None, ge=0, description="How often it must be called; at least once when absent."
    )

    @classmethod
    def read(cls, value: Any) -> Any:
        """A plain name as a block."""
        return {"name": value} if isinstance(value, str) else value


def invalid_pattern(pattern: str, loc: tuple[str | int, ...] = ()) -> Iterator[Problem]:
    """A finding when a regular expression does not compile."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        yield Problem("ST408", f"this is not a valid regular expression: {error}", loc, value=pattern)
