"""The configurations of one agent that a run tries side by side: its variants, and other models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from seatrial.config.agent import AgentConfig
from seatrial.config.instructions import InstructionsConfig
from seatrial.config.loaded import LoadedAgent
from seatrial.config.model import ModelConfig
from seatrial.config.prompt_text import read_prompt
from seatrial.config.source import read_source
from seatrial.config.tools import ToolConfig
from seatrial.config.variants import VariantConfig
from seatrial.errors import ConfigError
from seatrial.runs.records import VariantRecord

BASE = "base"

# What a variant's model takes over from the agent's when the provider is another: nothing that belongs to a server.
_OF_ANY_PROVIDER = {"temperature", "max_tokens", "top_p", "timeout_s"}


@dataclass(frozen=True, slots=True)
class Variant:
    """One configuration, as if it stood in an agent file of its own. The name is empty when there is only one."""

    name: str
    loaded: LoadedAgent

    @property
    def record(self) -> VariantRecord:
        """How a run remembers it."""
        model = self.loaded.require().model
        return VariantRecord(self.name, model.provider, model.name)


def variants_of(loaded: LoadedAgent, models: Sequence[str] = ()) -> list[Variant]:
    """The agent itself and its variants, each with every one of ``models`` (``provider:name``) when some are given.

    Raises `ConfigError` for a model that cannot be read and for instructions that cannot.
    """
    named = [_named_model(text, loaded.require().model) for text in dict.fromkeys(models)]
    base = [Variant("", loaded), *(_variant(loaded, config) for config in loaded.require().variants)]
    variants = [each for variant in base for each in _with_models(variant, named)]
    if len(variants) == 1:
        return [replace(variants[0], name="")]
    return [replace(variant, name=variant.name or BASE) for variant in variants]


def _with_models(variant: Variant, models: Sequence[ModelConfig]) -> Iterator[Variant]:
    if not models:
        yield variant
    for model in models:
        is_elsewhere = model.provider != variant.loaded.require().model.provider
        name = f"{model.provider}:{model.name}" if is_elsewhere else model.name
        parts = [part for part in (variant.name, name) if part]
        yield Variant(" ".join(parts), _changed(variant.loaded, model=model))


def _variant(loaded: LoadedAgent, config: VariantConfig) -> Variant:
    base = loaded.require()
    changed = loaded
    if config.instructions is not None:
        changed = _with_instructions(changed, config.instructions)
    model = base.model if config.model is None else _completed(config.model, base.model)
    tools = base.tools if config.tools is None else tuple(_tools(config, base))
    limits = base.limits
    if config.limits is not None:
        limits = limits.model_copy(update=_given(config.limits))
    return Variant(config.name, _changed(changed, model=model, tools=tools, limits=limits))


def _changed(loaded: LoadedAgent, **changes: object) -> LoadedAgent:
    return replace(loaded, config=loaded.require().model_copy(update=changes))


def _given(entity: ModelConfig | object) -> dict[str, object]:
    fields: set[str] = getattr(entity, "model_fields_set", set())
    return {name: getattr(entity, name) for name in fields}


def _completed(model: ModelConfig, base: ModelConfig) -> ModelConfig:
    """The model with what it does not say taken over from the agent's, as far as that fits its provider."""
    inherited = _given(base)
    if model.provider != base.provider:
        inherited = {name: value for name, value in inherited.items() if name in _OF_ANY_PROVIDER}
    inherited.pop("deployment_name", None)
    return model.model_copy(update={**inherited, **_given(model)})


def _named_model(text: str, base: ModelConfig) -> ModelConfig:
    provider, separator, name = text.partition(":")
    if not separator:
        provider, name = base.provider, text
    if not provider or not name:
        raise ConfigError(f"{text!r} names no model", hint="write provider:name, for example openai:gpt-5-mini")
    return _completed(ModelConfig(provider=provider, name=name), base)


def _with_instructions(loaded: LoadedAgent, config: InstructionsConfig) -> LoadedAgent:
    if config.file is None:
        return replace(loaded, instructions_text=config.inline or "")
    path = loaded.path_to(config.file)
    source = read_source(path)
    prompt = read_prompt(source)
    return replace(
        loaded,
        instructions_text=prompt.text,
        instructions_metadata=prompt.metadata,
        sources={**loaded.sources, path: source},
    )


def _tools(variant: VariantConfig, base: AgentConfig) -> Iterator[ToolConfig]:
    by_name = {tool.name: tool for tool in base.tools}
    for tool in variant.tools or ():
        if not isinstance(tool, str):
            yield tool
        elif tool in by_name:
            yield by_name[tool]
        else:
            known = ", ".join(by_name) or "none"
            raise ConfigError(
                f"the variant {variant.name!r} names a tool {tool!r} that is not there", hint=f"tools: {known}"
            )
