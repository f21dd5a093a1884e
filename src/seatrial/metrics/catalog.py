"""One table of all metrics: what each is called, its scale and direction, what it needs and where its class is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from inspect import Parameter, signature
from typing import Any, Literal

from seatrial.errors import MetricError, PluginError
from seatrial.metrics.base import Metric
from seatrial.plugins import Registry

MetricKind = Literal["computed", "judge", "trajectory", "check"]
Need = Literal["ground_truth", "context", "model", "expected_tools"]


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """What is known of a metric without loading it.

    ``scale`` is what the metric reports, ends included; ``other_scale_highs`` are the top ends that ``scale:`` may ask
    for instead, and ``factor`` is what values are multiplied by then. ``default_threshold`` None means that the metric
    is only scored unless the user sets one. ``options`` are the keyword options that this name stands for.
    """

    name: str
    kind: MetricKind
    scale: tuple[float, float] = (0.0, 1.0)
    is_lower_better: bool = False
    default_threshold: float | None = None
    needs: frozenset[Need] = frozenset()
    target: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    other_scale_highs: tuple[float, ...] = ()
    factor: float = 1.0

    @property
    def shown_scale(self) -> str:
        """The scale in words."""
        low, high = self.scale
        return f"{low:g} and up" if math.isinf(high) else f"{low:g} to {high:g}"

    @property
    def told_scale(self) -> tuple[float, float | None]:
        """The scale as JSON can hold it: an end that is infinite is None."""
        low, high = self.scale
        return low, None if math.isinf(high) else high

    def on_scale(self, high: float | None) -> MetricInfo:
        """The same metric reported on a scale that ends at ``high`` (``scale: 100`` for BLEU, chrF and TER).

        Raises `MetricError` for a scale that the metric does not have.
        """
        natural = 1.0 if math.isinf(self.scale[1]) else self.scale[1]
        if high is None or high == natural:
            return self
        if high not in self.other_scale_highs:
            known = ", ".join(f"{number:g}" for number in (natural, *self.other_scale_highs))
            raise MetricError(f"{self.name} has no scale {high:g}", hint=f"scale: {known}")
        factor = high / natural
        threshold = None if self.default_threshold is None else self.default_threshold * factor
        low, top = self.scale
        return replace(self, scale=(low * factor, top * factor), factor=factor, default_threshold=threshold)

    def complaint_about(self, threshold: float) -> str | None:
        """Why ``threshold`` is no pass line on this scale, or None."""
        low, high = self.scale
        if math.isfinite(threshold) and low <= threshold <= high:
            return None
        return f"{threshold:g} is not on the scale of {self.name}: {self.shown_scale}"


_TRUTH: frozenset[Need] = frozenset({"ground_truth"})
_TEXT = "seatrial.metrics.text"
_JUDGES = "seatrial.metrics.judge"
_CHECKS = "seatrial.metrics.checks"


def _text(name: str, target: str, **more: Any) -> MetricInfo:
    return MetricInfo(name, "computed", needs=_TRUTH, target=f"{_TEXT}.{target}", **more)


def _tools(name: str, **more: Any) -> MetricInfo:
    target = "seatrial.metrics.trajectory.expected_tools:ExpectedTools"
    return MetricInfo(name, "trajectory", needs=frozenset({"expected_tools"}), target=target, **more)


def _judge(name: str, *needs: Need, **more: Any) -> MetricInfo:
    more.setdefault("scale", (1.0, 5.0))
    more.setdefault("target", f"{_JUDGES}.level:LevelJudge")
    more.setdefault("options", {"rubric": name})
    return MetricInfo(name, "judge", needs=frozenset({"model", *needs}), **more)


def _counted(name: str, *needs: Need) -> MetricInfo:
    target = f"{_JUDGES}.counted:CountedJudge"
    return _judge(name, *needs, scale=(0.0, 1.0), target=target, options={"counting": name})


def _check(name: str, target: str, **more: Any) -> MetricInfo:
    return MetricInfo(name, "check", default_threshold=1.0, target=f"{_CHECKS}.{target}", **more)


_PERCENT = (100.0,)

_BUILTINS: tuple[MetricInfo, ...] = (
    _text("exact", "exact:Exact"),
    _text("f1_score", "f1:F1"),
    _text("bleu", "bleu:Bleu", other_scale_highs=_PERCENT),
    _text("bleu_nltk", "bleu_nltk:BleuNltk", other_scale_highs=_PERCENT),
    _text("gleu", "gleu:Gleu"),
    _text("chrf", "chrf:Chrf", other_scale_highs=_PERCENT),
    _text("ter", "ter:Ter", scale=(0.0, math.inf), is_lower_better=True, other_scale_highs=_PERCENT),
    _text("rouge", "rouge:Rouge"),
    _text("rouge1", "rouge:Rouge", options={"variant": "rouge1"}),
    _text("rouge2", "rouge:Rouge", options={"variant": "rouge2"}),
    _text("rougeL", "rouge:Rouge", options={"variant": "rougeL"}),
    _text("meteor", "meteor:Meteor"),
    _text("levenshtein", "levenshtein:Levenshtein", scale=(0.0, math.inf), is_lower_better=True),
    _text("levenshtein_similarity", "levenshtein:LevenshteinSimilarity"),
    _text("wer", "wer:Wer", scale=(0.0, math.inf), is_lower_better=True),
    _text("numeric", "numeric:Numeric"),
    _text("equality", "equality:Equality"),
    _tools("expected_tools", default_threshold=1.0),
    _tools("tool_f1", options={"score": "f1"}),
    _judge("groundedness", "context"),
    _judge("relevance"),
    _judge("coherence"),
    _judge("fluency"),
    _judge("similarity", "ground_truth"),
    _judge("response_completeness", "ground_truth"),
    _judge("intent_resolution"),
    _judge("tool_call_accuracy"),
    _judge("task_adherence", scale=(0.0, 1.0)),
    _judge("safety", target=f"{_JUDGES}.safety:Safety", options={}, default_threshold=4.0),
    _counted("faithfulness", "context"),
    _counted("answer_relevancy"),
    _counted("contextual_precision", "context", "ground_truth"),
    _counted("contextual_recall", "context", "ground_truth"),
    _counted("contextual_relevancy", "context"),
    _judge("geval", scale=(0.0, 1.0), target=f"{_JUDGES}.geval:GEval", options={}),
    MetricInfo("code", "check", target=f"{_CHECKS}.code_grader:CodeGrader"),
    _check("contains", "contains:Contains"),
    _check("not_contains", "contains:NotContains"),
    _check("regex", "regex:Regex"),
    _check("equals", "equals:Equals"),
    _check("json_schema", "json_schema:JsonSchema"),
    _check("json_path", "json_path:JsonPathCheck"),
    _check("max_latency_ms", "limits:MaxLatencyMs"),
    _check("max_cost_usd", "limits:MaxCostUsd"),
    _check("python", "python:PythonFunction"),
)

_BY_NAME = {info.name: info for info in _BUILTINS}

METRICS: Registry[type[Metric]] = Registry("metric", "seatrial.metrics", {i.name: i.target for i in _BUILTINS})


def names() -> list[str]:
    """Every metric that can be asked for: built-ins in the order of the table, then plugins sorted."""
    return METRICS.names()


def info(name: str) -> MetricInfo:
    """What is known of ``name``. A plugin tells it by a class attribute ``info``; without one it reports 0 to 1.

    Raises `PluginError` for an unknown name, with the nearest known one.
    """
    known = _BY_NAME.get(name)
    if known is not None:
        return known
    told = getattr(METRICS.load(name), "info", None)
    if told is None:
        return MetricInfo(name, "computed")
    if not isinstance(told, MetricInfo):
        raise PluginError(f"the metric {name!r}: its attribute `info` must be a MetricInfo")
    return replace(told, name=name)


def build(name: str, **options: Any) -> Metric:
    """The metric ``name`` with the user's ``options`` on top of those that the name stands for.

    Raises `MetricError` when an option is unknown to it, missing, or has a value that it cannot work with.
    """
    merged = {**info(name).options, **options}
    complaint = complaint_about_options(name, merged)
    if complaint is not None:
        raise MetricError(complaint, hint=f"its options: {', '.join(_parameters(name)) or 'none'}")
    return METRICS.load(name)(**merged)


def complaint_about_options(name: str, options: Iterable[str]) -> str | None:
    """Which option the metric does not know or misses, or None; those that its name stands for are there. Loads it."""
    known = _parameters(name)
    takes_any = any(each.kind is each.VAR_KEYWORD for each in known.values())
    given = {*options, *info(name).options}
    unknown = sorted(given - known.keys())
    if unknown and not takes_any:
        near = get_close_matches(unknown[0], known, n=1)
        return f"{name} has no option {unknown[0]!r}" + (f", did you mean {near[0]!r}?" if near else "")
    missing = [each.name for each in known.values() if each.default is each.empty and each.kind is each.KEYWORD_ONLY]
    absent = [option for option in missing if option not in given]
    return f"{name} needs the option {absent[0]!r}" if absent else None


def _parameters(name: str) -> Mapping[str, Parameter]:
    return signature(METRICS.load(name)).parameters
