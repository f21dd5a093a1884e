"""The ``instructions:`` block: the system prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import Field

from seatrial.config.entity import Entity, Problem
from seatrial.config.fields import FullText, LongText
from seatrial.config.rules import exactly_one, exactly_one_given


class InstructionsConfig(Entity):
    """Where the system prompt is: in a file or in the agent file. A plain text is accepted as ``inline``."""

    called: ClassVar[str] = "`instructions:`"
    synonyms: ClassVar[dict[str, str]] = {"path": "file", "text": "inline", "prompt": "inline", "content": "inline"}

    shorthands = ({"type": "string", "minLength": 1, "maxLength": 5000},)
    conditions = (exactly_one_given("file", "inline"),)

    file: FullText | None = Field(default=None, description="A text file, relative to the agent file.")
    inline: LongText | None = Field(default=None, description="The text itself.")

    @classmethod
    def read(cls, value: Any) -> Any:
        """A plain text as ``inline``."""
        return {"inline": value} if isinstance(value, str) else value

    @classmethod
    def rules(cls, values: Mapping[str, Any]) -> Iterator[Problem]:
        """Exactly one of the two."""
        yield from exactly_one(values, ("file", "inline"), cls.called)
