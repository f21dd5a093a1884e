"""Checks of an agent file that need to know which providers, models and metrics there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from seatrial.assembly.metrics import given_options
from seatrial.assembly.names import unknown_names, unknown_stores
from seatrial.config.agent import AgentConfig
from seatrial.config.cases import CaseConfig, ExpectationConfig
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.evaluations import MetricConfig
from seatrial.config.loaded import LoadedAgent
from seatrial.config.located import KeyPath
from seatrial.config.model import ModelConfig
from seatrial.config.tools import PromptToolConfig
from seatrial.errors import MetricError, MissingExtraError, PluginError
from seatrial.metrics import catalog
from seatrial.metrics.judge.custom_prompt import scale_warning
from seatrial.providers.catalog import PROVIDERS
from seatrial.providers.model_catalog import known_names, model_info, near_names

# Engines that answer without a language model, and so cannot judge.
_NO_JUDGES = ("local",)


def check(loaded: LoadedAgent) -> tuple[Diagnostic, ...]:
    """Every finding, in the order of the file; for a file that has errors already, the unknown names alone."""
    config = loaded.config
    if config is None:
        return tuple(unknown_names(loaded))
    findings = [*_models(loaded, config), *_metrics(loaded, config), *_cases(loaded, config), *unknown_stores(loaded)]
    return tuple(findings)


def _models(loaded: LoadedAgent, config: AgentConfig) -> Iterator[Diagnostic]:
    for path, model in _named_models(config):
        if model.provider not in PROVIDERS:
            message = f"there is no provider {model.provider!r}"
            yield loaded.diagnose("ST406", (*path, "provider"), message, hint=_near(model.provider, PROVIDERS.names()))
        elif known_names(model.provider, endpoint=model.endpoint) and not _is_known(model):
            near = near_names(model.provider, model.name, endpoint=model.endpoint)
            hint = f"near names: {', '.join(near)}" if near else "prices and limits of this model are unknown"
            message = f"the model {model.name!r} of {model.provider} is not in the catalogue"
            yield loaded.diagnose("ST505", (*path, "name"), message, hint=hint)


def _is_known(model: ModelConfig) -> bool:
    return model_info(model.provider, model.name, endpoint=model.endpoint) is not None


def _named_models(config: AgentConfig) -> Iterator[tuple[KeyPath, ModelConfig]]:
    yield ("model",), config.model
    for index, tool in enumerate(config.tools):
        if isinstance(tool, PromptToolConfig) and tool.model is not None:
            yield ("tools", index, "model"), tool.model
    for index, variant in enumerate(config.variants):
        if variant.model is not None:
            yield ("variants", index, "model"), variant.model
    if config.evaluations is not None:
        if config.evaluations.model is not None:
            yield ("evaluations", "model"), config.evaluations.model
        for index, metric in enumerate(config.evaluations.metrics):
            if metric.model is not None:
                yield ("evaluations", "metrics", index, "model"), metric.model


def _metrics(loaded: LoadedAgent, config: AgentConfig) -> Iterator[Diagnostic]:
    if config.evaluations is None:
        return
    judge = config.evaluations.model or config.model
    for index, metric in enumerate(config.evaluations.metrics):
        yield from _metric(loaded, ("evaluations", "metrics", index), metric, judge)


def _metric(loaded: LoadedAgent, path: KeyPath, metric: MetricConfig, judge: ModelConfig) -> Iterator[Diagnostic]:
    info = _info(metric.metric)
    if info is None:
        message = f"there is no metric {metric.metric!r}"
        yield loaded.diagnose("ST306", (*path, "metric"), message, hint=_near(metric.metric, catalog.names()))
        return
    try:
        info = info.on_scale(metric.scale)
    except MetricError as error:
        yield loaded.diagnose("ST409", (*path, "scale"), error.message, hint=error.hint)
        return
    complaint = None if metric.threshold is None else info.complaint_about(metric.threshold)
    if complaint is not None:
        yield loaded.diagnose("ST409", (*path, "threshold"), complaint)
    given = given_options(metric)
    if given:
        yield from _options(loaded, path, metric, info, given)
    asked = metric.model or judge
    if metric.enabled and "model" in info.needs and asked.provider in _NO_JUDGES:
        message = f"{metric.title} is scored by a judge, and the provider {asked.provider!r} is no language model"
        hint = "name a judge: model: {provider: ..., name: ...} on the metric or on `evaluations`"
        yield loaded.diagnose("ST302", (*path, "metric"), message, hint=hint)


def _options(
    loaded: LoadedAgent, path: KeyPath, metric: MetricConfig, info: catalog.MetricInfo, given: dict[str, Any]
) -> Iterator[Diagnostic]:
    built_in = {"function"} if metric.grader is not None else set()
    try:
        complaint = catalog.complaint_about_options(metric.metric, {*given, *built_in, *(info.needs & {"model"})})
    except MissingExtraError as error:
        yield loaded.diagnose("ST302", (*path, "metric"), error.message, hint=error.hint)
        return
    if complaint is not None:
        wrong = next((name for name in given if repr(name) in complaint), "metric")
        yield loaded.diagnose("ST102", (*path, wrong), complaint)
    if metric.custom_prompt is not None:
        warning = scale_warning(metric.custom_prompt, info.scale)
        if warning is not None:
            yield loaded.diagnose("ST511", (*path, "custom_prompt"), warning)


def _cases(loaded: LoadedAgent, config: AgentConfig) -> Iterator[Diagnostic]:
    block = config.evaluations
    judge = (block.model if block is not None else None) or config.model
    listed = {name for metric in (block.metrics if block else ()) for name in (metric.title, metric.metric)}
    for index, case in enumerate(config.test_cases):
        for path, expectation in _expectations(case, ("test_cases", index)):
            for place, entry in enumerate(expectation.evaluations or ()):
                entry_path = (*path, "evaluations", place)
                if isinstance(entry, MetricConfig):
                    yield from _metric(loaded, entry_path, entry, judge)
                elif entry not in listed:
                    yield from _unlisted(loaded, entry_path, entry)
            yield from _truthless(loaded, config, path, expectation)


def _expectations(case: CaseConfig, path: KeyPath) -> Iterator[tuple[KeyPath, ExpectationConfig]]:
    yield path, case
    for index, turn in enumerate(case.turns):
        yield (*path, "turns", index), turn


def _unlisted(loaded: LoadedAgent, path: KeyPath, name: str) -> Iterator[Diagnostic]:
    if _info(name) is None:
        yield loaded.diagnose("ST306", path, f"there is no metric {name!r}", hint=_near(name, catalog.names()))
        return
    message = f"{name} is not listed under `evaluations:`; it is measured with its defaults and has no threshold"
    yield loaded.diagnose("ST506", path, message)


def _truthless(
    loaded: LoadedAgent, config: AgentConfig, path: KeyPath, expectation: ExpectationConfig
) -> Iterator[Diagnostic]:
    """A metric that compares with a ground truth, on a case that has none."""
    if expectation.ground_truth is not None or (isinstance(expectation, CaseConfig) and expectation.turns):
        return
    metrics = config.evaluations.metrics if config.evaluations is not None else ()
    titles = {metric.title: metric.metric for metric in metrics if metric.enabled}
    asked: Iterable[str] = titles
    if expectation.evaluations is not None:
        asked = [entry if isinstance(entry, str) else entry.title for entry in expectation.evaluations]
        titles |= {entry.title: entry.metric for entry in expectation.evaluations if isinstance(entry, MetricConfig)}
    needing = [title for title in asked if _needs_truth(titles.get(title, title))]
    if needing:
        names = ", ".join(needing)
        verb = "needs" if len(needing) == 1 else "need"
        hint = "write the right answer, or choose the case's metrics with `evaluations:`"
        yield loaded.diagnose("ST504", path, f"{names} {verb} a `ground_truth`, and this case has none", hint=hint)


def _needs_truth(name: str) -> bool:
    info = _info(name)
    return info is not None and "ground_truth" in info.needs


def _info(name: str) -> catalog.MetricInfo | None:
    try:
        return catalog.info(name)
    except PluginError:
        return None


def _near(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
