"""What an agent file needs to run: no errors, a model with its key, programs for its servers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from seatrial.assembly.check_metrics import known_info
from seatrial.assembly.mcp import mcp_settings
from seatrial.assembly.metrics import given_options
from seatrial.assembly.models import provider_options
from seatrial.assembly.valid import load_valid
from seatrial.cli.doctor.finding import Finding, ok, problem
from seatrial.cli.doctor.machine import KEY_OF_PROVIDER
from seatrial.cli.program import command_line
from seatrial.config.entity import Entity
from seatrial.config.evaluations import MetricConfig
from seatrial.config.loaded import LoadedAgent
from seatrial.config.mcp import McpToolConfig
from seatrial.config.model import ModelConfig
from seatrial.config.vectorstore import VectorstoreToolConfig
from seatrial.core.model import Model
from seatrial.errors import ConfigError, MissingExtraError, SeatrialError
from seatrial.installed import install_command
from seatrial.metrics import catalog
from seatrial.providers.catalog import PROVIDERS
from seatrial.tools.mcp.launch import checked_command

_EXTRAS: dict[type[Entity], tuple[str, str]] = {
    McpToolConfig: ("mcp", "mcp"),
    VectorstoreToolConfig: ("local", "numpy"),
}


def load(path: Path) -> tuple[LoadedAgent | None, list[Finding]]:
    """The agent, if its file has no errors."""
    try:
        loaded, warnings = load_valid(path)
    except ConfigError as error:
        places = [f"{each.location}: {each.message}" for each in error.diagnostics if each.severity == "error"]
        first = f"; the first: {places[0]}" if places else ""
        return None, [problem("agent file", f"{error.message}{first}", error.hint or command_line("validate", path))]
    told = f"{loaded.path} has no errors" + (f", {len(warnings)} warnings" if warnings else "")
    return loaded, [ok("agent file", told)]


def models(loaded: LoadedAgent) -> Iterator[tuple[Finding, Model | None]]:
    """Each model that the file names, with what building it found out: a missing key, extra or endpoint."""
    for config in _model_configs(loaded):
        about = f"model {config.provider} {config.name}"
        try:
            model = PROVIDERS.load(config.provider)(provider_options(config, loaded))
        except MissingExtraError as error:
            yield _extra(error.extra, f"the {about}"), None
        except SeatrialError as error:
            yield problem(about, error.message, error.hint, 2), None
        else:
            yield ok(about, f"has what it needs{_key_in_words(config, loaded)}"), model


def needed_extras(loaded: LoadedAgent) -> Iterator[Finding]:
    """Extras that tools and metrics of the file need and that are not installed."""
    for kind, (extra, module) in _EXTRAS.items():
        needing = [tool.name for tool in loaded.require().tools if isinstance(tool, kind)]
        if needing and find_spec(module) is None:
            yield _extra(extra, ", ".join(needing))
    by_extra: dict[str, dict[str, None]] = {}
    for metric in _computed_metrics(loaded):
        try:
            catalog.build(metric.metric, **given_options(metric))
        except MissingExtraError as error:
            by_extra.setdefault(error.extra, {})[metric.metric] = None
        except SeatrialError:
            continue  # what is wrong with its settings is told by `seatrial validate`
    for extra, names in by_extra.items():
        yield _extra(extra, f"the metric {', '.join(names)}" if len(names) == 1 else f"the metrics {', '.join(names)}")


def _computed_metrics(loaded: LoadedAgent) -> Iterator[MetricConfig]:
    """Those that the file names and that run no code of the user's and ask no model."""
    config = loaded.require()
    named = list(config.evaluations.metrics if config.evaluations is not None else ())
    for case in config.test_cases:
        for asked in (case, *case.turns):
            for entry in asked.evaluations or ():
                named.append(entry if isinstance(entry, MetricConfig) else MetricConfig(metric=entry))
    for metric in named:
        info = known_info(metric.metric)
        if info is not None and info.kind == "computed" and metric.grader is None:
            yield metric


def _extra(extra: str, needing: str) -> Finding:
    return problem(f"extra [{extra}]", f"not installed, and needed by {needing}", install_command(extra))


def servers(loaded: LoadedAgent) -> Iterator[Finding]:
    """Whether the program of each MCP server is there; it is not started."""
    for tool in loaded.require().tools:
        if isinstance(tool, McpToolConfig):
            yield _server(tool, loaded)


def sources(loaded: LoadedAgent) -> Iterator[Finding]:
    """Whether what the vector stores read can be read."""
    for tool in loaded.require().tools:
        if isinstance(tool, VectorstoreToolConfig):
            path = loaded.path_to(tool.source)
            if os.access(path, os.R_OK):
                yield ok(f"tool {tool.name}", f"{path} can be read")
            else:
                yield problem(f"tool {tool.name}", f"{path} cannot be read", f"chmod u+r {path}")


def _server(tool: McpToolConfig, loaded: LoadedAgent) -> Finding:
    about = f"MCP server {tool.name}"
    try:
        settings = mcp_settings(tool, loaded)
        if settings.is_remote:
            return ok(about, "is an address; --online asks it")
        command = checked_command(settings, {**os.environ, **settings.env})
    except SeatrialError as error:
        return problem(about, error.message, error.hint, 2)
    return ok(about, f"{command} is there")


def _key_in_words(config: ModelConfig, loaded: LoadedAgent) -> str:
    """Where its key comes from, as far as that is known."""
    variable = KEY_OF_PROVIDER.get(config.provider, "")
    if config.api_key is not None:
        return "; its key is the `api_key:` of the file or of its settings"
    return f"; its key is the variable {variable}" if loaded.environ.get(variable) else ""


def _model_configs(loaded: LoadedAgent) -> Iterator[ModelConfig]:
    """The agent's, its judges' and its variants', each once."""
    config = loaded.require()
    named = [config.model, *(variant.model for variant in config.variants)]
    if config.evaluations is not None:
        named += [config.evaluations.model, *(metric.model for metric in config.evaluations.metrics)]
    seen: list[ModelConfig] = []
    for model in named:
        if model is not None and model not in seen:
            seen.append(model)
            yield model
