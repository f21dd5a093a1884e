"""Checks of an agent file that need to know which providers, models and metrics there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from seatrial.assembly.check_calls import check_calls, declared_parameters
from seatrial.assembly.check_content import check_content, check_texts
from seatrial.assembly.check_metrics import MetricChecks, known_info
from seatrial.assembly.check_models import check_models, check_scripts
from seatrial.assembly.names import unknown_in_settings, unknown_names, unknown_stores
from seatrial.config.agent import AgentConfig
from seatrial.config.cases import CaseConfig, ExpectationConfig
from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.evaluations import MetricConfig
from seatrial.config.loaded import LoadedAgent
from seatrial.config.located import Block, KeyPath
from seatrial.config.readable import path_in_file, readable_part


def check(loaded: LoadedAgent, *, is_replay: bool = False) -> tuple[Diagnostic, ...]:
    """Every finding, in the order of the file; for a file that has errors already, those of what can be read of it.

    A replay asks no model: the scripts of scripted ones are not looked at.
    """
    if loaded.config is not None:
        scripts = () if is_replay else check_scripts(loaded, loaded.config)
        return (*_findings(loaded, loaded.config), *scripts)
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
        *check_models(loaded, config),
        *check_content(loaded, config),
        *metrics.of_block(),
        *_cases(loaded, config, metrics),
    ]
    return (*findings, *unknown_in_settings(loaded), *unknown_stores(loaded))


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
