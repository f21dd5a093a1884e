"""``test_cases:``: what the agent is asked, and what must come of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Discriminator, Field, Tag

from seatrial.config.checks import Checks
from seatrial.config.entity import Entity, Problem
from seatrial.config.evaluations import MetricConfig
from seatrial.config.expected_tools import CallOrder, ExpectedToolConfig
from seatrial.config.fields import FreeBlock, FullText, Limits, LongText, ShortText, Text, Texts, Whole
from seatrial.config.files import FileConfig
from seatrial.config.located import changed, plain
from seatrial.config.rules import exactly_one, exactly_one_given

MetricReference = Annotated[
    Annotated[FullText, Tag("<name>")] | Annotated[MetricConfig, Tag("<metric>")],
    Discriminator(lambda value: "<name>" if isinstance(value, str) else "<metric>"),
]
GroundTruth = Annotated[Text, Limits(5000, may_be_empty=True)]


class ExpectationConfig(Entity):
    """What is expected of one answer; shared by cases and turns."""

    expected_tools: tuple[ExpectedToolConfig, ...] | None = Field(
        default=None, description="Tools that must be called; an empty list means that none may be."
    )
    order: CallOrder = Field(
        default="any",
        description="any, superset: others may be made too; in_order; exact: these alone, in order; subset: no others.",
    )
    forbidden_tools: Texts = Field(default=(), description="Tools that must not be called.")
    ground_truth: GroundTruth | None = Field(default=None, description="The right answer, for metrics that compare.")
    files: tuple[FileConfig, ...] = Field(
        default=(), max_length=10, description="Files that go with the input, at most 10."
    )
    evaluations: tuple[MetricReference, ...] | None = Field(
        default=None, description="The metrics to run here, by name or whole; all of the evaluation block when absent."
    )
    checks: Checks = Field(default=(), description="Checks on the answer; `none`: there is nothing to check.")
    retrieval_context: Texts = Field(default=(), description="Passages that the answer may rest on.")


class TurnConfig(ExpectationConfig):
    """One turn of a conversation."""

    called: ClassVar[str] = "a turn"
    synonyms: ClassVar[dict[str, str]] = {"expected": "ground_truth", "expected_output": "ground_truth"}

    input: LongText = Field(description="What the user says.")
    turn_config: FreeBlock | None = Field(default=None, description="Anything a code grader wants to know.")


class CaseConfig(ExpectationConfig):
    """One test case: a question, or several turns of one conversation."""

    called: ClassVar[str] = "a test case"
    example: ClassVar[str] = "`- input: ...`"
    synonyms: ClassVar[dict[str, str]] = {
        "expected": "ground_truth",
        "expected_output": "ground_truth",
        "prompt": "input",
        "question": "input",
        "metrics": "evaluations",
        "id": "name",
        "assert": "checks",
        "tools": "expected_tools",
    }

    conditions = (exactly_one_given("input", "turns"),)

    name: ShortText | None = Field(default=None, description="The case's name, unique in the file.")
    input: LongText | None = Field(default=None, description="What the user says.")
    turns: tuple[TurnConfig, ...] = Field(
        default=(),
        description="Several turns in one conversation, in place of input.",
        json_schema_extra={"minItems": 1},
    )
    tags: Texts = Field(default=(), description="Words to choose cases by.")
    skip: FullText | None = Field(default=None, description="Why the case is not run.")
    repeat: Whole | None = Field(default=None, gt=0, description="How often it is tried.")
    require: Whole | None = Field(default=None, gt=0, description="How many tries must pass; `2 of 3` sets both.")
    turn_config: FreeBlock | None = Field(default=None, description="Anything a code grader wants to know.")

    @property
    def label(self) -> str:
        """The name, else the beginning of what the user says."""
        return self.name or (self.input or self.turns[0].input).strip().splitlines()[0][:60]

    @classmethod
    def read(cls, value: Any) -> Any:
        """``require: 2 of 3`` as two numbers."""
        if isinstance(value, dict) and isinstance(value.get("require"), str):
            match = re.fullmatch(r"\s*(\d+)\s*(?:of|/)\s*(\d+)\s*", value["require"])
            if match is not None:
                value = changed(value, "require", match[1])
                if value.get("repeat") is None:
                    value = changed(value, "repeat", match[2])
        return value

    @classmethod
    def rules(cls, values: Mapping[str, Any]) -> Iterator[Problem]:
        """Either input or turns; no more passes than tries."""
        yield from exactly_one(values, ("input", "turns"), cls.called, "add `input: What the user says.`")
        repeat, require = plain(values.get("repeat", 1)), plain(values.get("require", 1))
        if str(repeat).isdigit() and str(require).isdigit() and int(require) > int(repeat):
            yield Problem("ST203", f"`require` ({require}) is more than `repeat` ({repeat})", ("require",))
        if values.get("turns") == []:
            yield Problem("ST202", "`turns` is empty: nobody says anything", ("turns",), "add `- input: ...` to it")
