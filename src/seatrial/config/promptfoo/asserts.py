"""``assert:``: what becomes a check, what a metric, and what neither."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from seatrial.config.located import Block, Listing, plain
from seatrial.config.notes import Keys, Notes
from seatrial.config.promptfoo.checks import CHECKS, Given, RefusedError, short
from seatrial.config.promptfoo.files import MARK, Files
from seatrial.config.promptfoo.models import Models
from seatrial.config.promptfoo.tables import table
from seatrial.config.promptfoo.template import TemplateError, fill, one_line, shown

_MOST_TRUTH = 5000


@dataclass
class Grading:
    """What a case must meet, in our form."""

    checks: list[dict[str, Any]] = field(default_factory=list)
    evaluations: list[dict[str, Any]] = field(default_factory=list)
    ground_truth: str | None = None
    needs_context: bool = False


@dataclass(frozen=True)
class _Measure:
    """A metric of ours. ``told`` says in what it differs; ``criteria`` makes it a geval metric."""

    metric: str
    threshold: float | None
    needs_truth: bool = False
    needs_context: bool = False
    told: str = ""
    criteria: str = ""


_EVAL = "a judge gives 0 to 1 by these criteria; promptfoo asks with words of its own"
_FACTS = (
    "The actual output agrees in all facts with the expected output; it may say less or more, but nothing against it."
)
METRICS: dict[str, _Measure] = {
    "levenshtein": _Measure("levenshtein", 5, needs_truth=True),
    "rouge-n": _Measure("rouge1", 0.75, needs_truth=True),
    "bleu": _Measure("bleu", 0.5, needs_truth=True, told="sacrebleu's smoothing gives other values for short texts"),
    "gleu": _Measure("gleu", 0.5, needs_truth=True),
    "meteor": _Measure("meteor", 0.5, needs_truth=True, told="synonyms count only with `options: {synonyms: true}`"),
    "similar": _Measure(
        "similarity", 0.75, needs_truth=True, told="a judge gives 1 to 5 in place of a cosine; set the threshold anew"
    ),
    "llm-rubric": _Measure("geval", 0.5, told=_EVAL, criteria="{}"),
    "model-graded-closedqa": _Measure("geval", 0.5, told=_EVAL, criteria="{}"),
    "g-eval": _Measure("geval", 0.7, criteria="{}"),
    "factuality": _Measure("geval", 0.5, needs_truth=True, told=_EVAL, criteria=_FACTS),
    "model-graded-factuality": _Measure("geval", 0.5, needs_truth=True, told=_EVAL, criteria=_FACTS),
    "answer-relevance": _Measure("answer_relevancy", None, told="a judge counts statements in place of a cosine"),
    "context-faithfulness": _Measure("faithfulness", None, needs_context=True),
    "context-recall": _Measure("contextual_recall", None, needs_truth=True, needs_context=True),
    "context-relevance": _Measure("contextual_relevancy", None, needs_context=True),
}
_LIMITS = {"cost", "latency"}
_WITHOUT_VALUE = {*_LIMITS, "answer-relevance", "context-faithfulness", "context-relevance"}
_COMPUTED = {"levenshtein", "rouge1", "bleu", "gleu", "meteor"}
KNOWN = frozenset({*CHECKS, *METRICS, "assert-set", *table("assertions")})


class Asserts:
    """Turns the assertions of a case into checks and metrics."""

    def __init__(self, files: Files, models: Models, templates: Any) -> None:
        self.files = files
        self.models = models
        self.templates = templates
        self.notes: Notes = files.notes
        self.judge: dict[str, Any] | None = None
        self._used: set[str] = set()

    def read(self, asserts: list[Block], variables: Mapping[str, Any], judge: dict[str, Any] | None = None) -> Grading:
        """What they come to with these values of the variables; ``judge`` is the model of those that name none."""
        found = Grading()
        self.judge = judge
        for block in asserts:
            self._one(block, variables, found, {})
        return found

    def _one(self, block: Block, variables: Mapping[str, Any], found: Grading, outer: dict[str, Any]) -> None:
        block = self._referred(block)
        keys = Keys(block, self.notes)
        kind = str(keys.take("type") or "")
        place = block.place_of_value("type")
        if kind == "assert-set":
            self._set(keys, variables, found)
            return
        base, is_negated = kind.removeprefix("not-"), kind.startswith("not-")
        if base not in CHECKS and base not in METRICS:
            reason = table("assertions").get(base, "there is nothing like it here; write a check or a metric")
            self.notes.left(place, f"the assertion {kind or 'without a type'}", reason)
            return
        before = list(found.checks), list(found.evaluations), found.ground_truth
        try:
            given = self._given(base, keys, variables)
            shared = outer | self._shared(keys)
            if base in CHECKS:
                self._check(base, given, shared, is_negated, found)
            else:
                self._metric(base, given, shared, is_negated, found)
        except (RefusedError, TemplateError) as error:
            found.checks[:], found.evaluations[:], found.ground_truth = before
            shown_value = shown(plain(block.get("value")))[:60]
            self.notes.left(place, f"{kind} {shown_value}".strip(), self._reason(error))
            return
        keys.rest(table("assert_reasons"))

    def _reason(self, error: Exception) -> str:
        return f"{error} is more than a placeholder" if isinstance(error, TemplateError) else str(error)

    def _referred(self, block: Block) -> Block:
        reference = block.get("$ref")
        name = reference.rpartition("/")[2] if isinstance(reference, str) else None
        template = self.templates.get(name) if isinstance(self.templates, Block) and name else None
        if not isinstance(template, Block):
            return block
        self._used.add(str(name))
        made = Block(block.file, block.line, block.column)
        for source in (template, block):
            for key in source:
                if key != "$ref":
                    made.take_over(key, source)
        return made

    def note_unused_templates(self) -> None:
        """Notes the templates that no assertion referred to."""
        if isinstance(self.templates, Block):
            for name in self.templates:
                if name not in self._used:
                    self.notes.left(self.templates.place_of_key(name), f"`{name}`", "no assertion refers to it")

    def _set(self, keys: Keys, variables: Mapping[str, Any], found: Grading) -> None:
        inner = keys.take("assert")
        threshold = plain(keys.take("threshold"))
        place = keys.block.place_of_value("type")
        if isinstance(threshold, int | float) and threshold < 1:
            self.notes.left(
                place, f"an assert-set of threshold {threshold:g}", "each check must hold; write those that must"
            )
            return
        shared = self._shared(keys)
        for item in inner if isinstance(inner, Listing) else []:
            if isinstance(item, Block):
                self._one(item, variables, found, shared)
            else:
                self.notes.left(place, "an item of an assert-set", "it is no block with a `type`")
        keys.rest(table("assert_reasons"))

    def _given(self, kind: str, keys: Keys, variables: Mapping[str, Any]) -> Given:
        value = None if kind in _WITHOUT_VALUE else keys.take("value")
        if isinstance(value, str) and value.startswith(MARK):
            path = next(iter(self.files.named(value, keys.block.place_of_key("value"))), None)
            if path is None:
                raise RefusedError("its value is in a file that is not read")
            is_data = path.suffix.lower() in (".json", ".yaml", ".yml")
            place = keys.block.place_of_key("value")
            value = self.files.data(path, place) if is_data else self.files.text(path, place)
        threshold = plain(keys.take("threshold")) if kind in METRICS or kind in _LIMITS else None
        if isinstance(threshold, str) and re.fullmatch(r"\d+(\.\d+)?", threshold):
            threshold = float(threshold)
        if isinstance(threshold, bool) or not isinstance(threshold, int | float):
            if threshold is not None:
                keys.leave("threshold", "it is no number")
            threshold = None
        return Given(keys, _filled(value, variables), threshold)

    def _shared(self, keys: Keys) -> dict[str, Any]:
        """Weight and group; a weight of 0 stays for the caller to see."""
        made: dict[str, Any] = {}
        group, weight = keys.take("metric"), plain(keys.take("weight"))
        if isinstance(group, str) and group.strip():
            made["group"] = one_line(group)
        elif group is not None:
            keys.leave("metric", "a group has a name")
        if isinstance(weight, str) and re.fullmatch(r"\d+(\.\d+)?", weight):
            weight = float(weight)
        if isinstance(weight, bool) or (weight is not None and not isinstance(weight, int | float)):
            keys.leave("weight", "it is no number")
        elif weight is not None and weight != 1:
            made["weight"] = short(weight)
        return made

    def _check(self, kind: str, given: Given, shared: dict[str, Any], is_negated: bool, found: Grading) -> None:
        if shared.get("weight", 1) <= 0:
            raise RefusedError("a check of weight 0 decides nothing; a metric without a threshold is only scored")
        check = CHECKS[kind](given)
        keys = given.keys
        if kind == "contains-json":
            told = "the whole answer, or a block of code in it, must be JSON"
            self.notes.changed(keys.block.place_of_value("type"), "contains-json", told)
        found.checks.append({"not": check | shared} if is_negated else check | shared)

    def _metric(self, kind: str, given: Given, shared: dict[str, Any], is_negated: bool, found: Grading) -> None:
        measure, place = METRICS[kind], given.keys.block.place_of_value("type")
        if is_negated:
            raise RefusedError("a metric has no opposite; write a judge's criteria the other way round")
        made: dict[str, Any] = {"metric": measure.metric}
        if measure.criteria:
            made = {"metric": "geval", **self._criteria(measure, given)}
        if measure.needs_truth:
            self._truth(given, found)
        threshold = measure.threshold if given.threshold is None else given.threshold
        if measure.metric == "similarity" and threshold is not None:
            threshold = round(1 + 4 * threshold, 2)
        if shared.get("weight", 1) <= 0:
            shared, threshold = {key: value for key, value in shared.items() if key != "weight"}, None
            given.keys.leave("threshold", "what weighs nothing is only scored")
        if threshold is None:
            self.notes.changed(place, kind, "it is only scored; write a `threshold`")
        else:
            made["threshold"] = short(threshold)
            self._refuse_off_scale(measure, threshold)
        if measure.metric not in _COMPUTED:
            made |= self._judge(given.keys)
        if measure.told:
            self.notes.changed(place, kind, measure.told)
        found.needs_context = found.needs_context or measure.needs_context
        found.evaluations.append(_named(made, found.evaluations) | shared)

    def _judge(self, keys: Keys) -> dict[str, Any]:
        """The model of a judge: that of the assertion, else that of the test."""
        written = keys.take("provider")
        model = None if written is None else self.models.one(written, keys.block.place_of_key("provider"))
        block = self.judge if model is None else model.block
        return {} if block is None else {"model": block}

    def _criteria(self, measure: _Measure, given: Given) -> dict[str, Any]:
        if measure.needs_truth:
            return {"criteria": measure.criteria, "evaluation_params": ["actual_output", "expected_output"]}
        criteria = "\n".join(text for text in given.texts if text.strip())
        if not criteria:
            raise RefusedError("it has no criteria")
        return {"criteria": criteria, "evaluation_params": ["input", "actual_output"]}

    def _truth(self, given: Given, found: Grading) -> None:
        if isinstance(given.value, list) and len(given.value) > 1:
            raise RefusedError("a case has one ground_truth; write a case for each")
        truth = given.texts[0] if given.texts else ""
        if not truth:
            raise RefusedError("it has no value to compare with")
        if len(truth) > _MOST_TRUTH:
            raise RefusedError(f"a ground_truth has at most {_MOST_TRUTH:,} characters")
        if found.ground_truth not in (None, truth):
            raise RefusedError("a case has one ground_truth, and another assertion gave it; write a second case")
        found.ground_truth = truth

    def _refuse_off_scale(self, measure: _Measure, threshold: float) -> None:
        high = {"levenshtein": float("inf"), "similarity": 5.0}.get(measure.metric, 1.0)
        if not 0 <= threshold <= high:
            raise RefusedError(f"the threshold {threshold:g} is not on the scale of {measure.metric}")


def _filled(value: Any, variables: Mapping[str, Any]) -> Any:
    """The value as plain data, placeholders filled; a placeholder alone is the variable's own value."""
    if isinstance(value, dict):
        return {str(key): _filled(item, variables) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, variables) for item in value]
    if isinstance(value, str) and ("{{" in value or "{%" in value):
        return fill(value, variables)
    return plain(value)


def _named(made: dict[str, Any], others: list[dict[str, Any]]) -> dict[str, Any]:
    """The metric, with a name of its own where its name is taken."""
    taken = {other.get("name", other["metric"]) for other in others}
    number = 2
    name = made["metric"]
    while name in taken:
        name, number = f"{made['metric']} {number}", number + 1
    return made if name == made["metric"] else {"metric": made["metric"], "name": name, **made}
