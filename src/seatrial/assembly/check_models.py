"""Checks of the models that an agent file names."""

from __future__ import annotations

from collections.abc import Iterator

from seatrial.assembly.models import provider_options
from seatrial.config.agent import AgentConfig
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.loaded import LoadedAgent
from seatrial.config.located import KeyPath
from seatrial.config.model import ModelConfig
from seatrial.config.names import did_you_mean
from seatrial.config.tools import PromptToolConfig
from seatrial.errors import SeatrialError
from seatrial.providers.catalog import PROVIDERS
from seatrial.providers.local_names import ENGINES
from seatrial.providers.model_catalog import known_names, model_info, near_names

_OVER_HTTP = ("openai", "azure_openai", "anthropic", "openai_compatible")
_SCHEMES = ("http://", "https://")
_UNSET = "${"  # a variable that is not set; that it is missing is told already
_WAYS_TO_SIGN = {"anthropic": ("api_key", "oauth_token"), "azure_openai": ("api_key", "oauth_token")}


def check_models(loaded: LoadedAgent, config: AgentConfig) -> Iterator[Diagnostic]:
    """Findings about every model that the file names, without asking any; keys are the environment's business."""
    for path, model in _named_models(config):
        if model.provider not in PROVIDERS:
            message = f"there is no provider {model.provider!r}"
            hint = did_you_mean(model.provider, PROVIDERS.names())
            yield loaded.diagnose("ST406", (*path, "provider"), message, hint=hint)
        elif model.provider == "local" and model.name not in ENGINES:
            message = f"the provider local is the embedded engine, and has no model {model.name!r}"
            hint = f"write {' or '.join(f'`{name}`' for name in ENGINES)}, or the provider that hosts {model.name}"
            yield loaded.diagnose("ST406", (*path, "name"), message, hint=hint)
        elif (missing := _unusable(loaded, path, model)) is not None:
            yield missing
        elif known_names(model.provider, endpoint=model.endpoint) and not _is_known(model, loaded):
            near = near_names(model.provider, model.name, loaded.model_overrides, endpoint=model.endpoint)
            hint = f"near names: {', '.join(near)}" if near else "prices and limits of this model are unknown"
            message = f"the model {model.name!r} of {model.provider} is not in the catalogue"
            yield loaded.diagnose("ST505", (*path, "name"), message, hint=hint)


def check_scripts(loaded: LoadedAgent, config: AgentConfig) -> Iterator[Diagnostic]:
    """A finding for each script of a scripted model that is not there or cannot be followed."""
    for path, model in _named_models(config):
        if model.provider != "scripted":
            continue
        try:
            PROVIDERS.load(model.provider)(provider_options(model, loaded))
        except SeatrialError as error:
            code = "ST302" if loaded.path_to(model.name).exists() else "ST301"
            yield loaded.diagnose(code, (*path, "name"), error.message, hint=error.hint)


def _unusable(loaded: LoadedAgent, path: KeyPath, model: ModelConfig) -> Diagnostic | None:
    """What keeps a model of a known provider from being built, whatever the environment holds."""
    if model.provider == "openai_compatible" and not model.endpoint:
        message = "`provider: openai_compatible` needs `endpoint:`, the server's base URL"
        return loaded.diagnose("ST104", path, message, hint="for example `endpoint: http://localhost:8000/v1`")
    if model.provider in _OVER_HTTP and model.endpoint and not model.endpoint.strip().startswith((*_SCHEMES, _UNSET)):
        message = f"the endpoint {model.endpoint!r} is no URL"
        return loaded.diagnose("ST402", (*path, "endpoint"), message, hint="it begins with http:// or https://")
    ways = _WAYS_TO_SIGN.get(model.provider)
    if ways is not None and model.auth_provider not in (None, *ways):
        message = f"`auth_provider: {model.auth_provider}` is not known to `provider: {model.provider}`"
        return loaded.diagnose("ST406", (*path, "auth_provider"), message, hint=f"write {' or '.join(ways)}")
    return None


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
            for place, model in enumerate(metric.models or ()):
                yield ("evaluations", "metrics", index, "models", place), model
