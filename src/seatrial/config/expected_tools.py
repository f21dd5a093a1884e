"""``expected_tools:`` of a test case: which calls the agent should make, and with what."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from seatrial.config.entity import Entity, Problem
from seatrial.config.fields import Flag, FreeBlock, FullText, Texts, Whole
from seatrial.config.hints import pattern_meant
from seatrial.config.located import plain
from seatrial.config.matcher_names import matcher_kind, slip_of_matcher

CallOrder = Literal["any", "in_order", "exact", "subset", "superset"]


def _read_arguments(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {str(name): _read_matcher(wanted) for name, wanted in value.items()}


def _read_matcher(wanted: Any) -> Any:
    """The value as it is, but for patterns and fuzzy texts, which stay the text of the file."""
    kind = matcher_kind(wanted)
    if kind in ("regex", "fuzzy"):
        return {
            key: str(item) if key == kind and isinstance(item, str) else plain(item) for key, item in wanted.items()
        }
    return plain(wanted)


_ANY_THAT_IS_FALSE = {"properties": {"any": {"const": False}}, "required": ["any"], "maxProperties": 1}
Arguments = Annotated[
    dict[str, Any],
    BeforeValidator(_read_arguments),
    Field(json_schema_extra={"additionalProperties": {"not": _ANY_THAT_IS_FALSE}}),
]


class ExpectedToolConfig(Entity):
    """One expected tool. A plain name is accepted.

    A value of ``args`` is a literal, or one of ``{regex: ...}``, ``{fuzzy: ...}``, ``{any: true}``, ``{subset: ...}``,
    ``{schema: ...}``, ``{literal: ...}``.
    """

    called: ClassVar[str] = "an expected tool"
    synonyms: ClassVar[dict[str, str]] = {"arguments": "args", "tool": "name", "times": "count", "success": "ok"}

    shorthands = ({"type": "string", "minLength": 1},)

    name: FullText = Field(description="The tool's name, exactly.")
    args: Arguments = Field(
        default_factory=dict, description="Arguments that the call must have; others may be there too."
    )
    count: Whole | None = Field(
        default=None, ge=0, description="How often it must be called; once when absent, never when max_count is 0."
    )
    max_count: Whole | None = Field(default=None, ge=0, description="How often it may be called at most.")
    ok: Flag = Field(default=False, description="Whether the call must not end in an error.")
    extra_args: Flag = Field(default=True, description="Whether arguments that are not named may be there.")
    ignore_args: Texts = Field(default=(), description="Arguments that never count, as patterns like debug_*.")
    defaults: FreeBlock | None = Field(default=None, description="Values of arguments that a call leaves out.")

    @classmethod
    def read(cls, value: Any) -> Any:
        """A plain name as a block."""
        return {"name": value} if isinstance(value, str) else value

    @classmethod
    def rules(cls, values: Mapping[str, Any]) -> Iterator[Problem]:
        """Matchers that can be used, and counts that do not contradict each other."""
        arguments = values.get("args")
        for name, wanted in arguments.items() if isinstance(arguments, dict) else ():
            kind = matcher_kind(wanted)
            if kind == "regex":
                yield from _unusable_pattern(wanted[kind], ("args", name, kind))
            if kind == "any" and plain(wanted[kind]) is False:
                hint = "write `{any: true}`, or leave the argument out; the word `false` itself is `{literal: false}`"
                yield Problem("ST105", "`any: false` would accept every value", ("args", name, kind), hint)
            slip = slip_of_matcher(wanted)
            if slip is not None and slip.is_sure:
                hint = (
                    f"did you mean `{slip.meant}`? A value of this form is written `{{literal: {{{slip.key}: ...}}}}`"
                )
                yield Problem("ST102", f"`{slip.key}` is no matcher of an argument", ("args", name, slip.key), hint)
        count, most = plain(values.get("count")), plain(values.get("max_count"))
        if isinstance(count, int) and isinstance(most, int) and most < count:
            yield Problem("ST203", f"`max_count` ({most}) is less than `count` ({count})", ("max_count",))


def _unusable_pattern(pattern: Any, loc: tuple[str | int, ...]) -> Iterator[Problem]:
    if isinstance(pattern, str):
        yield from invalid_pattern(pattern, loc)
    else:
        yield Problem("ST105", "`regex` must be a text", loc, value=pattern)


def invalid_pattern(pattern: str, loc: tuple[str | int, ...] = ()) -> Iterator[Problem]:
    """A finding when a regular expression does not compile."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        message = f"this is not a valid regular expression: {error}"
        yield Problem("ST408", message, loc, pattern_meant(error), pattern)
