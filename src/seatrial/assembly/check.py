"""Checks of an agent file that need to know which providers, models and metrics there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from seatrial.assembly.check_calls import check_calls, declared_parameters
from seatrial.assembly.check_content import check_content, check_texts
from seatrial.assembly.check_metrics import MetricChecks, known_info
from seatrial.assembly.names import unknown_in_settings, unknown_names, unknown_stores
from seatrial.config.agent import AgentConfig
from seatrial.config.cases import CaseConfig, ExpectationConfig
from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.evaluations import MetricConfig
from seatrial.config.loaded import LoadedAgent
from seatrial.config.located import Block, KeyPath
from seatrial.config.model import ModelConfig
from seatrial.config.names import did_you_mean
from seatrial.config.readable import path_in_file, readable_part
from seatrial.config.tools import PromptToolConfig
from seatrial.providers.catalog import PROVIDERS
from seatrial.providers.local_names import ENGINES
from seatrial.providers.model_catalog import known_names, model_info, near_names


def check(loaded: LoadedAgent) -> tuple[Diagnostic, ...]:
    """Every finding, in the order of the file; for a file that has errors already, those of what can be read of it."""
    if loaded.config is not None:
        return tuple(_findings(loaded, loaded.config))
    if not isinstance(loaded.data, Block):
        return ()
    found = {_shown(finding): finding for finding in (*unknown_names(loaded), *_beside_errors(loaded))}
    return tuple(found.values())


def _shown(finding: Diagnostic) -> tuple[str, Place, str]:
    return finding.code, finding.place, finding.message


def _beside_errors(loaded: LoadedAgent) -> Iterator[Diagnostic]:
    """What is wrong in the parts that could be read, unless it may come from what could not."""
    part = readable_part(loaded)
    if part is None or part.config is None:
        return
    refused = [error.key_path for error in loaded.errors]
    for finding in _findings(part, part.config):
        finding = replace(finding, key_path=path_in_file(part.data, finding.key_path))
        holder = _holder(finding)
        if holder is None or not any(path[: len(holder)] == holder for path in refused):
            yield finding


def _holder(finding: Diagnostic) -> KeyPath | None:
    """The block whose mistakes can bring such a finding about; None when only the value itself can."""
    path = finding.key_path
    return {"ST504": path, "ST104": path[:-1], "ST506": ("evaluations",), "ST203": path[:4]}.get(finding.code)


def _findings(loaded: LoadedAgent, config: AgentConfig) -> tuple[Diagnostic, ...]:
    metrics = MetricChecks(loaded, config)
    findings = [
        *_models(loaded, config),
        *check_content(loaded, config),
        *metrics.of_block(),
        *_cases(loaded, config, metrics),
    ]
    return (*findings, *unknown_in_settings(loaded), *unknown_stores(loaded))


def _models(loaded: LoadedAgent, config: AgentConfig) -> Iterator[Diagnostic]:
    for path, model in _named_models(config):
        if model.provider not in PROVIDERS:
            message = f"there is no provider {model.provider!r}"
            hint = did_you_mean(model.provider, PROVIDERS.names())
            yield loaded.diagnose("ST406", (*path, "provider"), message, hint=hint)
        elif model.provider == "local" and model.name not in ENGINES:
            message = f"the provider local is the embedded engine, and has no model {model.name!r}"
            hint = f"write {' or '.join(f'`{name}`' for name in ENGINES)}, or the provider that hosts {model.name}"
            yield loaded.diagnose("ST406", (*path, "name"), message, hint=hint)
        elif known_names(model.provider, endpoint=model.endpoint) and not _is_known(model, loaded):
            near = near_names(model.provider, model.name, loaded.model_overrides, endpoint=model.endpoint)
            hint = f"near names: {', '.join(near)}" if near else "prices and limits of this model are unknown"
            message = f"the model {model.name!r} of {model.provider} is not in the catalogue"
            yield loaded.diagnose("ST505", (*path, "name"), message, hint=hint)


def _is_known(model: ModelConfig, loaded: LoadedAgent) -> bool:
    return model_info(model.provider, model.name, loaded.model_overrides, endpoint=model.endpoint) is not None


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


def _cases(loaded: LoadedAgent, config: AgentConfig, metrics: MetricChecks) -> Iterator[Diagnostic]:
    declared = declared_parameters(config)
    for index, case in enumerate(config.test_cases):
        for path, expectation in _expectations(case, ("test_cases", index)):
            yield from check_calls(loaded, path, expectation, declared)
            yield from check_texts(loaded, path, expectation)
            yield from metrics.of_case(path, expectation)
            yield from _truthless(loaded, config, path, expectation)


def _expectations(case: CaseConfig, path: KeyPath) -> Iterator[tuple[KeyPath, ExpectationConfig]]:
    yield path, case
    for index, turn in enumerate(case.turns):
        yield (*path, "turns", index), turn


def _truthless(
    loaded: LoadedAgent, config: AgentConfig, path: KeyPath, expectation: ExpectationConfig
) -> Iterator[Diagnostic]:
    """A metric that compares with a ground truth, on a case that has none.

    A case with something of its own to check may do without it, unless it asks for the metric itself.
    """
    if expectation.ground_truth is not None or (isinstance(expectation, CaseConfig) and expectation.turns):
        return
    if expectation.evaluations is None and _has_its_own(expectation):
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


def _has_its_own(case: ExpectationConfig) -> bool:
    """Whether it has checks (or says that there are none), or says which tools are called."""
    return case.checks != () or case.expected_tools is not None or bool(case.forbidden_tools)


def _needs_truth(name: str) -> bool:
    info = known_info(name)
    return info is not None and "ground_truth" in info.needs
