"""``models:`` of the settings: what a user knows better than the model catalogue, prices above all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import Field, ValidationError

from seatrial.config.diagnostics import Diagnostic
from seatrial.config.entity import Entity
from seatrial.config.explain import explain
from seatrial.config.fields import Flag, FullText, Number, Text, Whole
from seatrial.config.located import Block
from seatrial.config.settings import Settings
from seatrial.config.trip import Trip

Modality = Literal["text", "image", "audio", "video", "file"]
ModelOverrides = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Provider to model name to what is said of that model."""


class ModelPricesConfig(Entity):
    """Prices in US dollars for 1,000,000 tokens."""

    called: ClassVar[str] = "the prices of a model"
    synonyms: ClassVar[dict[str, str]] = {"cached_input": "cache_read", "prompt": "input", "completion": "output"}

    input: Number | None = Field(default=None, ge=0, description="Tokens that are sent.")
    output: Number | None = Field(default=None, ge=0, description="Tokens that are answered.")
    cache_read: Number | None = Field(default=None, ge=0, description="Tokens that the provider had in its cache.")
    cache_write: Number | None = Field(default=None, ge=0, description="Tokens that it puts into its cache.")


class ModelOverrideConfig(Entity):
    """One model. What is left out stays as the catalogue has it; an empty value makes it unknown."""

    called: ClassVar[str] = "a model of the settings"
    synonyms: ClassVar[dict[str, str]] = {
        "prices": "cost",
        "price": "cost",
        "endpoint": "base_url",
        "is_reasoning": "reasoning",
    }

    name: Text | None = Field(default=None, description="The name shown.")
    base_url: FullText | None = Field(default=None, description="Where it is served.")
    reasoning: Flag | None = Field(default=None, description="Whether it reasons before it answers.")
    input_modalities: tuple[Modality, ...] | None = Field(default=None, description="What it can be sent.")
    context_window: Whole | None = Field(default=None, gt=0, description="Tokens of a request and its answer.")
    max_tokens: Whole | None = Field(default=None, gt=0, description="Tokens of an answer at most.")
    cost: ModelPricesConfig | None = Field(default=None, description="Prices.")


def read_model_overrides(found: list[Settings], trip: Trip) -> ModelOverrides:
    """By provider and model, of the nearest file that has the model; the blocks still know their places.

    A mistake is an error, in the user's own file a warning: that one is not of the project.
    """
    merged = Block(trip.path, 1)
    for settings in found:
        if settings.models is None:
            continue
        trip.fill(settings.models, settings.source)
        for provider, name, holder in _entries(settings, settings.models, trip):
            models = merged.get(provider)
            if models is None:
                merged.take_over(provider, settings.models)
                models = merged[provider] = Block(holder.file, holder.line, holder.column)
            if name not in models:
                said = _read(settings, (provider, name), holder, trip)
                if said is not None:
                    models.take_over(name, holder)
                    models[name] = said
    return merged


def _entries(settings: Settings, models: Block, trip: Trip) -> Iterator[tuple[str, str, Block]]:
    for provider, holder in models.items():
        if not isinstance(holder, Block):
            message = f"`{provider}` must be a block of models"
            hint = "write provider, then model name, then its keys"
            place = models.place_of_key(provider)
            _tell(settings, Diagnostic("error", "ST105", message, place, hint, key_path=("models", provider)), trip)
            continue
        for name in holder:
            yield provider, name, holder


def _read(settings: Settings, key: tuple[str, str], holder: Block, trip: Trip) -> dict[str, Any] | None:
    name = key[-1]
    block = holder[name]
    try:
        entity = ModelOverrideConfig.model_validate(block)
    except ValidationError as error:
        for finding in explain(error, block, holder.file):
            if not isinstance(block, Block):
                finding = replace(finding, place=holder.place_of_value(name))
            _tell(settings, replace(finding, key_path=("models", *key, *finding.key_path)), trip)
        return None
    return _with_empty_keys(entity.model_dump(exclude_unset=True), block)


def _with_empty_keys(said: dict[str, Any], block: Block) -> dict[str, Any]:
    """Keys that stand there without a value are kept: they say that something is unknown."""
    empty: dict[str, Any] = {key: None for key, value in block.items() if value is None and key != "reasoning"}
    nested = {
        key: _with_empty_keys(said[key], value)
        for key, value in block.items()
        if isinstance(value, Block) and isinstance(said.get(key), dict)
    }
    return {**said, **empty, **nested}


def _tell(settings: Settings, finding: Diagnostic, trip: Trip) -> None:
    trip.findings.append(replace(finding, severity="warning") if settings.is_users else finding)
