"""Whether the metrics that an agent file names can be measured as it says, each under a name of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from seatrial.assembly.metrics import given_options, shown_name
from seatrial.assembly.near_metrics import metric_hint
from seatrial.config.agent import AgentConfig
from seatrial.config.cases import ExpectationConfig
from seatrial.config.checks import CheckConfig
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.evaluations import MetricConfig
from seatrial.config.hooks import split_reference
from seatrial.config.loaded import LoadedAgent
from seatrial.config.located import KeyPath
from seatrial.errors import MetricError, MissingExtraError, PluginError
from seatrial.metrics import catalog
from seatrial.metrics.judge.custom_prompt import scale_warning

# Engines that answer without a language model, and so cannot judge.
NO_JUDGES = ("local",)
_PERCENT = 100.0
_EXPECTED_TOOLS = "expected_tools"


class _Shown(NamedTuple):
    """What is shown under a name: a metric of this kind, written here."""

    metric: str
    path: KeyPath


class MetricChecks:
    """Checks the metrics of one agent file: those of the evaluation block, then those of each case."""

    def __init__(self, loaded: LoadedAgent, config: AgentConfig) -> None:
        block = config.evaluations
        self._loaded = loaded
        self._judge = (block.model if block is not None else None) or config.model
        self._block = block.metrics if block is not None else ()
        self._listed = {name for metric in self._block for name in (metric.title, metric.metric)}
        self._of_block: dict[str, _Shown] = {}
        self._of_cases: dict[str, _Shown] = {}

    def of_block(self) -> Iterator[Diagnostic]:
        """What is wrong with the metrics of the evaluation block."""
        for index, metric in enumerate(self._block):
            path = ("evaluations", "metrics", index)
            yield from self._metric(path, metric)
            shown = _Shown(metric.metric, path)
            before = self._of_block.setdefault(shown_name(metric), shown)
            if before is not shown:
                yield self._same_name(path, "metric", shown_name(metric), before.path)

    def of_case(self, path: KeyPath, case: ExpectationConfig) -> Iterator[Diagnostic]:
        """What is wrong with the metrics that a case or turn chooses, and with the names of its checks."""
        for place, entry in enumerate(case.evaluations or ()):
            entry_path = (*path, "evaluations", place)
            if isinstance(entry, MetricConfig):
                yield from self._metric(entry_path, entry)
                yield from self._other_under_that_name(entry_path, entry)
            elif entry not in self._listed and entry != _EXPECTED_TOOLS:
                yield from self._unlisted(entry_path, entry)
        yield from self._names_of_case(path, case)

    def _metric(self, path: KeyPath, metric: MetricConfig) -> Iterator[Diagnostic]:
        info = known_info(metric.metric)
        if info is None:
            yield self._unknown((*path, "metric"), metric.metric)
            return
        try:
            info = info.on_scale(metric.scale)
        except MetricError as error:
            yield self._loaded.diagnose("ST409", (*path, "scale"), error.message, hint=error.hint)
            return
        complaint = None if metric.threshold is None else info.complaint_about(metric.threshold)
        if complaint is not None and metric.threshold is not None:
            hint = _hint_for_threshold(info, metric.threshold)
            yield self._loaded.diagnose("ST409", (*path, "threshold"), complaint, hint=hint)
        given = given_options(metric)
        if metric.threshold is not None and complaint is None:
            yield from self._too_lenient((*path, "threshold"), metric, info)
        if given or metric.models or info.kind == "check":
            yield from self._options(path, metric, info, given)
        asked = metric.model or self._judge
        if metric.enabled and "model" in info.needs and asked.provider in NO_JUDGES:
            message = f"{metric.title} is scored by a judge, and the provider {asked.provider!r} is no language model"
            hint = "name a judge: model: {provider: ..., name: ...} on the metric or on `evaluations`"
            yield self._loaded.diagnose("ST302", (*path, "metric"), message, hint=hint)

    def _too_lenient(self, path: KeyPath, metric: MetricConfig, info: catalog.MetricInfo) -> Iterator[Diagnostic]:
        """A threshold that every score reaches, or one that was meant for another scale."""
        threshold, (low, high) = metric.threshold or 0.0, info.scale
        if threshold == (high if info.is_lower_better else low):
            message = f"every score of {metric.title} reaches the threshold {threshold:g}: it lets everything pass"
            yield self._loaded.diagnose("ST511", path, message)
        elif high == _PERCENT and 0 < threshold <= 1 and not info.is_lower_better:
            message = f"{metric.title} is on the scale 0 to 100, and its threshold is {threshold:g}"
            yield self._loaded.diagnose(
                "ST511", path, message, hint=f"write {threshold * _PERCENT:g}, or leave scale out"
            )

    def _options(
        self, path: KeyPath, metric: MetricConfig, info: catalog.MetricInfo, given: dict[str, Any]
    ) -> Iterator[Diagnostic]:
        built_in = {"function"} if metric.grader is not None else set()
        built_in |= {"models"} if metric.models else set()
        try:
            complaint = catalog.complaint_about_options(metric.metric, {*given, *built_in, *(info.needs & {"model"})})
        except MissingExtraError as error:
            yield self._loaded.diagnose("ST302", (*path, "metric"), error.message, hint=error.hint)
            return
        wrong = next((name for name in (*given, *built_in) if complaint is not None and repr(name) in complaint), None)
        if complaint is not None and wrong is not None:
            yield self._loaded.diagnose("ST102", (*path, wrong), complaint)
        elif complaint is not None:
            hint = _hint_for_missing(metric, info)
            yield self._loaded.diagnose("ST104", (*path, "metric"), complaint, hint=hint)
        if metric.custom_prompt is not None:
            warning = scale_warning(metric.custom_prompt, info.scale)
            if warning is not None:
                yield self._loaded.diagnose("ST511", (*path, "custom_prompt"), warning)

    def _unlisted(self, path: KeyPath, name: str) -> Iterator[Diagnostic]:
        if known_info(name) is None:
            yield self._unknown(path, name)
            return
        message = f"{name} is not listed under `evaluations:`; it is measured with its defaults and has no threshold"
        yield self._loaded.diagnose("ST506", path, message)

    def _unknown(self, path: KeyPath, name: str) -> Diagnostic:
        return self._loaded.diagnose("ST306", path, f"there is no metric {name!r}", hint=metric_hint(name))

    def _other_under_that_name(self, path: KeyPath, metric: MetricConfig) -> Iterator[Diagnostic]:
        """A metric of a case that would be counted together with another metric of the file."""
        name = shown_name(metric)
        before = self._of_block.get(name) or self._of_cases.setdefault(name, _Shown(metric.metric, path))
        if before.metric != metric.metric:
            yield self._same_name(path, "metric", name, before.path)

    def _names_of_case(self, path: KeyPath, case: ExpectationConfig) -> Iterator[Diagnostic]:
        """Two scores of one case under one name; several checks of one kind may share the kind's."""
        taken: dict[str, KeyPath] = {}
        chosen = list(self._chosen(path, case))
        is_named = any(shown.metric == _EXPECTED_TOOLS for _, shown in chosen)
        if not is_named and (case.expected_tools is not None or case.forbidden_tools):
            taken[_EXPECTED_TOOLS] = (*path, _EXPECTED_TOOLS if case.expected_tools is not None else "forbidden_tools")
        for name, shown in chosen:
            if name in taken:
                yield self._same_name(shown.path, "metric", name, taken[name])
            taken[name] = shown.path
        for index, check in enumerate(case.checks or ()):
            name, check_path = _name_of_check(check), (*path, "checks", index)
            if name in taken:
                yield self._same_name(check_path, "check", name, taken[name])
            elif check.name is not None:
                taken[name] = check_path

    def _chosen(self, path: KeyPath, case: ExpectationConfig) -> Iterator[tuple[str, _Shown]]:
        """The names of the case's metrics, and where each is asked for."""
        if case.evaluations is None:
            yield from self._of_block.items()
            return
        for place, entry in enumerate(case.evaluations):
            entry_path = (*path, "evaluations", place)
            if isinstance(entry, MetricConfig):
                yield shown_name(entry), _Shown(entry.metric, entry_path)
                continue
            named = [metric for metric in self._block if entry in (metric.title, metric.metric)]
            kinds = {shown_name(metric): metric.metric for metric in named} or {entry: entry}
            for name, kind in kinds.items():
                yield name, _Shown(kind, entry_path)

    def _same_name(self, path: KeyPath, what: str, name: str, before: KeyPath) -> Diagnostic:
        line = self._loaded.place_of(before).line
        message = f"this {what} would be shown as `{name}`, like what stands in line {line}"
        return self._loaded.diagnose("ST401", path, message, hint="give it a name of its own: `name: ...`")


def known_info(name: str) -> catalog.MetricInfo | None:
    """What is known of a metric; None where there is none of that name."""
    try:
        return catalog.info(name)
    except PluginError:
        return None


def _name_of_check(check: CheckConfig) -> str:
    if check.name is not None:
        return check.name
    kind = split_reference(check.python)[1] if check.python is not None else check.kind
    return f"not {kind}" if check.negated else kind


def _hint_for_threshold(info: catalog.MetricInfo, threshold: float) -> str | None:
    """``40`` where 0.4 must be meant."""
    share = threshold / _PERCENT
    if not 1 < threshold <= _PERCENT or info.scale[1] != 1 or info.complaint_about(share) is not None:
        return None
    other = f", or add `scale: {_PERCENT:g}`" if _PERCENT in info.other_scale_highs else ""
    return f"write {share:g}{other}"


def _hint_for_missing(metric: MetricConfig, info: catalog.MetricInfo) -> str | None:
    if metric.metric == "code":
        return "write grader: file.py:function"
    if info.kind != "check":
        return None
    return f"write it into the cases that it is for, as `checks: [{{{metric.metric}: ...}}]`, or give `options:`"
