"""The ``evaluations:`` block: what is measured, and what counts as good."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field

from seatrial.config.entity import Entity, Problem
from seatrial.config.fields import Flag, FreeBlock, FullText, Number, Text, Whole
from seatrial.config.located import Block, changed
from seatrial.config.model import ModelConfig
from seatrial.config.rules import given

MetricType = Literal["standard", "geval", "rag", "code"]
_SETTINGS = (
    "stem",
    "variant",
    "tokenizer",
    "lowercase",
    "word_order",
    "case_insensitive",
    "strip_whitespace",
    "strip_punctuation",
    "absolute_tolerance",
    "relative_tolerance",
    "accept_percent",
    "accept_thousands_separators",
    "pick",
    "criteria",
    "evaluation_steps",
    "evaluation_params",
    "strict_mode",
    "include_reason",
    "draws",
    "combine",
)
EvaluationParameter = Literal["input", "actual_output", "expected_output", "context", "retrieval_context"]


class MetricConfig(Entity):
    """One metric. A plain name is accepted. ``metric`` is always the catalogue's name, also for the other types."""

    called: ClassVar[str] = "a metric"
    synonyms: ClassVar[dict[str, str]] = {"min_score": "threshold", "timeout": "timeout_ms", "prompt": "custom_prompt"}

    shorthands = ({"type": "string", "minLength": 1},)
    conditions = (
        {
            "anyOf": [
                given("metric"),
                given("metric_type"),
                {"properties": {"type": {"enum": ["geval", "code"]}}, **given("type")},
            ]
        },
    )

    metric: FullText = Field(description="The metric's name.")
    type: MetricType = Field(default="standard", description="Which form of metric; standard when absent.")
    name: FullText | None = Field(default=None, description="The name shown; needed when one metric stands twice.")
    threshold: Number | None = Field(default=None, description="The score that counts as passed.")
    enabled: Flag = Field(default=True, description="Whether it is measured.")
    scale: Number | None = Field(
        default=None, gt=0, description="The top of the scale that threshold and score are given in."
    )
    model: ModelConfig | None = Field(default=None, description="The judge, for this metric alone.")
    fail_on_error: Flag = Field(default=False, description="Whether an error of this metric makes the case errored.")
    retry_on_failure: Whole | None = Field(
        default=None, ge=1, le=3, description="Further tries after an error, 1 to 3."
    )
    timeout_ms: Whole | None = Field(default=None, gt=0, description="Milliseconds after which a try is given up.")
    custom_prompt: FullText | None = Field(
        default=None, description="The judge's instructions, in place of the built-in ones."
    )
    weight: Number = Field(default=1, gt=0, description="How much it counts in the weighted total.")
    reduce: Literal["mean", "median", "mode", "max", "min"] = Field(
        default="mean", description="How the scores of several tries of a case become one."
    )
    group: Text | None = Field(default=None, description="The group whose total it counts in.")
    response_path: FullText | None = Field(default=None, description="A path into the answer's JSON to measure.")
    stem: Flag | None = Field(default=None, description="Whether words are reduced to stems (rouge).")
    variant: FullText | None = Field(default=None, description="rouge1, rouge2 or rougeL (rouge).")
    tokenizer: FullText | None = Field(default=None, description="reference, or unicode for other scripts (rouge).")
    lowercase: Flag | None = Field(default=None, description="Whether case is ignored (bleu).")
    word_order: Whole | None = Field(default=None, ge=0, description="Length of word n-grams that count too (chrf).")
    case_insensitive: Flag | None = Field(default=None, description="Whether case is ignored (equality).")
    strip_whitespace: Flag | None = Field(default=None, description="Whether outer blanks are ignored (equality).")
    strip_punctuation: Flag | None = Field(default=None, description="Whether punctuation is ignored (equality).")
    absolute_tolerance: Number | None = Field(default=None, ge=0, description="Difference still equal (numeric).")
    relative_tolerance: Number | None = Field(default=None, ge=0, description="Relative difference still equal.")
    accept_percent: Flag | None = Field(default=None, description="Whether 12 % is read as 0.12 (numeric).")
    accept_thousands_separators: Flag | None = Field(default=None, description="Whether 1,000 is 1000 (numeric).")
    pick: FullText | None = Field(default=None, description="Which number counts: only, first, last (numeric).")
    criteria: FullText | None = Field(default=None, description="What the judge looks at (geval).")
    evaluation_steps: tuple[FullText, ...] | None = Field(default=None, description="How the judge proceeds (geval).")
    evaluation_params: tuple[EvaluationParameter, ...] | None = Field(
        default=None, description="What the judge is shown (geval)."
    )
    strict_mode: Flag | None = Field(default=None, description="Whether only a full score counts (geval).")
    include_reason: Flag | None = Field(default=None, description="Whether the judge gives its reason (rag).")
    draws: Whole | None = Field(default=None, ge=1, le=50, description="How often each judge is asked.")
    models: tuple[ModelConfig, ...] | None = Field(default=None, description="Further judges, beside `model`.")
    combine: Literal["median", "mean", "majority"] | None = Field(
        default=None, description="How the verdicts of several draws and judges become one."
    )
    grader: FullText | None = Field(default=None, description="The function that grades: file.py:function (code).")
    options: FreeBlock | None = Field(default=None, description="Further settings, handed to the metric as they are.")

    @property
    def title(self) -> str:
        """The name under which its scores are shown."""
        return self.name or self.metric

    @property
    def settings(self) -> dict[str, Any]:
        """The metric's own settings that were given, by name."""
        given = {name: getattr(self, name) for name in _SETTINGS if getattr(self, name) is not None}
        return {**given, **(self.options or {})}

    @classmethod
    def read(cls, value: Any) -> Any:
        """A plain name as a block; ``metric`` filled in for the types that name themselves otherwise."""
        if isinstance(value, str):
            return {"metric": value}
        if isinstance(value, dict) and value.get("metric") is None:
            kind = value.get("type")
            if kind == "rag" and "metric_type" in value:
                return _renamed(value, "metric_type", "metric")
            if kind in ("geval", "code"):
                return changed(value, "metric", str(kind))
        return value

    @classmethod
    def rules(cls, values: Mapping[str, Any]) -> Iterator[Problem]:
        """What each type needs."""
        kind = values.get("type")
        if kind == "geval" and "criteria" not in values and "evaluation_steps" not in values:
            yield Problem("ST202", "a metric of type geval needs `criteria` or `evaluation_steps`")
        if kind == "code" and "grader" not in values:
            hint = "write grader: file.py:function"
            yield Problem("ST104", "a metric of type code needs `grader`", ("grader",), hint)


class EvaluationsConfig(Entity):
    """What is measured of every case. A plain list is accepted as its metrics."""

    called: ClassVar[str] = "`evaluations:`"
    synonyms: ClassVar[dict[str, str]] = {"default_model": "model", "judge": "model"}

    shorthands = ({"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/MetricConfig"}},)

    model: ModelConfig | None = Field(default=None, description="The judge of all metrics that name none themselves.")
    metrics: tuple[MetricConfig, ...] = Field(min_length=1, description="What is measured.")

    @classmethod
    def read(cls, value: Any) -> Any:
        """A plain list as ``metrics``."""
        return {"metrics": value} if isinstance(value, list | tuple) else value


def _renamed(value: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    if isinstance(value, Block):
        value.rename(old, new)
        return value
    return {new if key == old else key: item for key, item in value.items()}
