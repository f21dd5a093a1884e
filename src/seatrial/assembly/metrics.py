"""From ``evaluations:``, ``expected_tools:`` and ``checks:`` to metrics with their thresholds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

from seatrial.assembly.checks import build_check, mark_of, short_mark
from seatrial.config.cases import ExpectationConfig
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.evaluations import EvaluationsConfig, MetricConfig
from seatrial.config.hooks import split_reference
from seatrial.config.loaded import LoadedAgent
from seatrial.config.model import ModelConfig
from seatrial.core.model import Model
from seatrial.errors import ConfigError, MetricError, SeatrialError
from seatrial.metrics import catalog
from seatrial.metrics.at_path import AtPath
from seatrial.metrics.base import Evidence, Measurement, Metric
from seatrial.metrics.grading import GradedMetric
from seatrial.tools.user_module import load_function

_FULL = 1.0
_EXPECTED_TOOLS = "expected_tools"


def given_options(config: MetricConfig) -> dict[str, Any]:
    """The settings of an entry that go to the metric itself."""
    own = {} if config.custom_prompt is None else {"custom_prompt": config.custom_prompt}
    return {**own, **config.settings}


def shown_name(config: MetricConfig) -> str:
    """The name under which an entry's scores are shown: the name given, else what the user wrote as the metric.

    A grader is shown by its function's name. What a metric adds in brackets (``meteor(synonyms=off)``) comes behind it.
    """
    if config.name is not None:
        return config.name
    if config.grader is not None:
        return split_reference(config.grader)[1]
    return config.metric if config.variant is None else f"{config.metric}(variant={config.variant})"


class Metrics:
    """What is measured of each case of one agent; metrics that cases share are built once."""

    def __init__(self, loaded: LoadedAgent, model_for: Callable[[ModelConfig], Model]) -> None:
        config = loaded.require()
        self._loaded = loaded
        self._model_for = model_for
        self._agent_model = config.model
        self._block = config.evaluations or EvaluationsConfig.model_construct(model=None, metrics=())
        self._unlisted: dict[str, MetricConfig] = {}
        self._shared: dict[int, GradedMetric] = {}

    def prepare(self) -> None:
        """Builds what all cases share. Raises `ConfigError` with a diagnostic for each metric that cannot be built."""
        findings: list[Diagnostic] = []
        for index, config in enumerate(self._block.metrics):
            try:
                if config.enabled:
                    self._built(config)
            except SeatrialError as error:
                path = ("evaluations", "metrics", index, "metric")
                findings.append(self._loaded.diagnose("ST302", path, error.message, hint=error.hint))
        if findings:
            raise ConfigError(f"{self._loaded.path} names metrics that cannot be used", diagnostics=findings)

    def of(self, case: ExpectationConfig) -> Sequence[GradedMetric]:
        """The case's metrics, expected tools first, checks last. One that cannot be built is an error of the case.

        A metric that compares tool calls holds for the cases that say something of them; `expected_tools` named as a
        metric stands in for the one that such a case has anyway.
        """
        calls = _calls_of(case)
        if case.evaluations is None and not calls and not case.checks:
            return self._of_any_case
        chosen = self._chosen(case)
        is_named = any(metric.metric == _EXPECTED_TOOLS for metric in chosen)
        return [
            *([] if is_named or not calls else [_expected_tools(calls)]),
            *(
                self._usable(metric.title, partial(self._built, metric, calls))
                for metric in chosen
                if calls or metric.options or not _compares_calls(metric)
            ),
            *(
                self._usable(check.name or check.kind, partial(build_check, check, self._loaded))
                for check in case.checks or ()
            ),
        ]

    def judge(self, config: MetricConfig) -> GradedMetric:
        """One judge as an entry describes it. Raises what building it raises."""
        return self._built(config)

    @cached_property
    def _of_any_case(self) -> Sequence[GradedMetric]:
        """What is measured of a case that says nothing of its metrics, its tools or its checks."""
        return [
            self._usable(metric.title, partial(self._built, metric))
            for metric in self._block.metrics
            if metric.enabled and (metric.options or not _compares_calls(metric))
        ]

    def _usable(self, title: str, build: Callable[[], GradedMetric]) -> GradedMetric:
        try:
            return build()
        except SeatrialError as error:
            return GradedMetric(Unusable(title, error), catalog.MetricInfo(title, "check"), threshold=_FULL)

    def _chosen(self, case: ExpectationConfig) -> list[MetricConfig]:
        """The entries that hold for the case: its own, by name those of the block, or all of the block."""
        if case.evaluations is None:
            return [metric for metric in self._block.metrics if metric.enabled]
        chosen: list[MetricConfig] = []
        for entry in case.evaluations:
            if isinstance(entry, MetricConfig):
                chosen.append(entry)
                continue
            named = [metric for metric in self._block.metrics if entry in (metric.title, metric.metric)]
            chosen += named or [self._unlisted.setdefault(entry, MetricConfig(metric=entry))]
        return [metric for metric in chosen if metric.enabled]

    def _built(self, config: MetricConfig, calls: Mapping[str, Any] | None = None) -> GradedMetric:
        """The metric, built once for all cases; with the case's ``calls``, for a metric that compares them."""
        if calls and _compares_calls(config):
            return self._build(config, calls)
        key = id(config)  # the entries live as long as the agent file does
        if key not in self._shared:
            self._shared[key] = self._build(config)
        return self._shared[key]

    def _build(self, config: MetricConfig, calls: Mapping[str, Any] | None = None) -> GradedMetric:
        info = catalog.info(config.metric).on_scale(config.scale)
        metric = catalog.build(config.metric, **{**(calls or {}), **self._options(config, info)})
        if config.response_path is not None:
            metric = AtPath(metric, path=config.response_path)
        return GradedMetric(
            metric,
            info,
            threshold=self._threshold(config, info),
            retry_on_failure=config.retry_on_failure or 0,
            timeout_s=None if config.timeout_ms is None else config.timeout_ms / 1000,
            fail_on_error=config.fail_on_error,
            weight=config.weight,
            group=config.group or "",
            reduce=config.reduce,
            name=config.name or f"{shown_name(config)}{_qualifier(metric)}",
            asks=mark_of(config, calls),
        )

    def _threshold(self, config: MetricConfig, info: catalog.MetricInfo) -> float | None:
        """The file's threshold; else the catalogue's own, but for one that a case asks for by its bare name."""
        is_unlisted = any(config is unlisted for unlisted in self._unlisted.values())
        if config.threshold is not None or (is_unlisted and config.metric != _EXPECTED_TOOLS):
            return config.threshold
        return info.default_threshold

    def _options(self, config: MetricConfig, info: catalog.MetricInfo) -> dict[str, Any]:
        options = given_options(config)
        if config.grader is not None:
            file, function = split_reference(config.grader)
            options["function"] = load_function(self._loaded.path_to(file), function)
        if "model" in info.needs:
            options["model"] = self._model_for(config.model or self._block.model or self._agent_model)
        if config.models:
            options["models"] = [self._model_for(model) for model in config.models]
        return options


def _qualifier(metric: Metric) -> str:
    """What a metric says of itself in brackets when its values are not the reference's."""
    _, bracket, rest = metric.name.partition("(")
    return bracket + rest


class Unusable:
    """Stands for a metric that could not be built: measuring it says why."""

    def __init__(self, name: str, error: SeatrialError) -> None:
        self.name = name
        self._error = error

    async def measure(self, _evidence: Evidence) -> Measurement:
        """Raises what was in the way."""
        raise MetricError(self._error.message, hint=self._error.hint)


def _compares_calls(config: MetricConfig) -> bool:
    return config.metric in catalog.METRICS and "expected_tools" in catalog.info(config.metric).needs


def _calls_of(case: ExpectationConfig) -> dict[str, Any]:
    """What the case says of tool calls, as a metric takes it; empty when it says nothing."""
    if case.expected_tools is None and not case.forbidden_tools:
        return {}
    expected = None
    if case.expected_tools is not None:
        expected = [tool.model_dump(exclude_unset=True) for tool in case.expected_tools]
    return {"expected": expected, "order": case.order, "forbidden": case.forbidden_tools}


def _expected_tools(calls: Mapping[str, Any]) -> GradedMetric:
    metric = catalog.build(_EXPECTED_TOOLS, **calls)
    return GradedMetric(metric, catalog.info(_EXPECTED_TOOLS), threshold=_FULL, asks=short_mark(calls))
