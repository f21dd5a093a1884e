"""From ``evaluations:``, ``expected_tools:`` and ``checks:`` to metrics with their thresholds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seatrial.assembly.checks import build_check
from seatrial.config.cases import ExpectationConfig
from seatrial.config.evaluations import EvaluationsConfig, MetricConfig
from seatrial.config.hooks import split_reference
from seatrial.config.loaded import LoadedAgent
from seatrial.config.model import ModelConfig
from seatrial.core.model import Model
from seatrial.metrics import catalog
from seatrial.metrics.at_path import AtPath
from seatrial.metrics.grading import GradedMetric
from seatrial.tools.user_module import load_function

# Settings of a metric's entry that are handed to the metric under their own name.
OPTIONS = (
    "stem",
    "case_insensitive",
    "strip_whitespace",
    "strip_punctuation",
    "absolute_tolerance",
    "relative_tolerance",
    "accept_percent",
    "accept_thousands_separators",
    "criteria",
    "evaluation_steps",
    "evaluation_params",
    "strict_mode",
    "include_reason",
    "custom_prompt",
)
_FULL = 1.0


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

    def of(self, case: ExpectationConfig) -> list[GradedMetric]:
        """The case's metrics, expected tools first, checks last. Raises `MetricError`, `PluginError` or `ToolError`."""
        return [
            *_expected_tools(case),
            *(self._built(metric) for metric in self._chosen(case)),
            *(build_check(check, self._loaded) for check in case.checks or ()),
        ]

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

    def _built(self, config: MetricConfig) -> GradedMetric:
        key = id(config)  # the entries live as long as the agent file does
        if key not in self._shared:
            self._shared[key] = self._build(config)
        return self._shared[key]

    def _build(self, config: MetricConfig) -> GradedMetric:
        info = catalog.info(config.metric).on_scale(config.scale)
        metric = catalog.build(config.metric, **self._options(config, info))
        if config.response_path is not None:
            metric = AtPath(metric, path=config.response_path)
        return GradedMetric(
            metric,
            info,
            threshold=config.threshold,
            retry_on_failure=config.retry_on_failure or 0,
            timeout_s=None if config.timeout_ms is None else config.timeout_ms / 1000,
            fail_on_error=config.fail_on_error,
            name=config.name,
        )

    def _options(self, config: MetricConfig, info: catalog.MetricInfo) -> dict[str, Any]:
        options = {name: getattr(config, name) for name in OPTIONS if getattr(config, name) is not None}
        if config.grader is not None:
            file, function = split_reference(config.grader)
            options["function"] = load_function(self._loaded.path_to(file), function)
        if "model" in info.needs:
            options["model"] = self._model_for(config.model or self._block.model or self._agent_model)
        return {**options, **(config.options or {})}


def _expected_tools(case: ExpectationConfig) -> list[GradedMetric]:
    if case.expected_tools is None and not case.forbidden_tools:
        return []
    expected = None
    if case.expected_tools is not None:
        expected = [tool.model_dump(exclude_unset=True) for tool in case.expected_tools]
    metric = catalog.build("expected_tools", expected=expected, order=case.order, forbidden=case.forbidden_tools)
    return [GradedMetric(metric, catalog.info("expected_tools"), threshold=_FULL)]
