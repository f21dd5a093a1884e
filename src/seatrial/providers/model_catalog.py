"""What is known of models: windows, limits, modalities and prices, from data files with their sources.

The files in ``data`` are made by ``scripts/make_model_catalogue.py``; each is read when a model of its vendor is first
asked for. A model, a price or a window that no source states is unknown: None, never a guess and never 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Annotated, Any

import msgspec

from seatrial.core.model import ModelInfo
from seatrial.core.usage import ModelCost
from seatrial.errors import ConfigError
from seatrial.providers.model_match import exact_names, matches, spellings

VENDOR_OF_PROVIDER = {"openai": "openai", "azure_openai": "azure", "anthropic": "anthropic"}

Overrides = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Provider to model name to the keys of `ModelOverride`."""

Price = Annotated[float, msgspec.Meta(ge=0)] | None
Tokens = Annotated[int, msgspec.Meta(gt=0)] | None


class CostOverride(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Prices that a user pays, in US dollars per 1,000,000 tokens, whatever the length of the request."""

    input: Price = None
    output: Price = None
    cache_read: Price = None
    cache_write: Price = None


class ModelOverride(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a user says of a model. Only the keys that are given count; null makes a known value unknown."""

    name: str | None = None
    base_url: str | None = None
    reasoning: bool = False
    input_modalities: tuple[str, ...] | None = None
    context_window: Tokens = None
    max_tokens: Tokens = None
    cost: CostOverride | None = None


class _Entry(msgspec.Struct, frozen=True):
    id: str
    match: Any
    name: str | None = None
    is_text: bool = True
    deprecated: bool = False
    reasoning: bool = False
    input_modalities: tuple[str, ...] | None = None
    cost: ModelCost | None = None
    context_window: int | None = None
    max_tokens: int | None = None


class _VendorFile(msgspec.Struct, frozen=True):
    models: tuple[_Entry, ...]


class _Vendor(msgspec.Struct, frozen=True):
    id: str
    file: str
    endpoint: str
    fallback: tuple[str, ...] = ()


class _Index(msgspec.Struct, frozen=True):
    vendors: tuple[_Vendor, ...]


def model_info(
    provider: str, name: str, overrides: Overrides | None = None, *, endpoint: str | None = None
) -> ModelInfo | None:
    """What is known of a model, None when nothing is. Dated names, aliases and a leading ``vendor/`` find their model.

    ``overrides`` change the entry of exactly this name, or add it. ``endpoint`` is the URL that is called: where it
    belongs to a vendor of the catalogue, that vendor's entries hold, whatever the provider.

    Raises:
        ConfigError: an override has an unknown key or a value of the wrong type.
    """
    vendor = _vendor_of(provider, endpoint)
    entry = _find(vendor, name) if vendor is not None else None
    known = _info(provider, entry) if entry is not None else None
    said = (overrides or {}).get(provider, {}).get(name)
    if said is None:
        return known
    return _overridden(known or ModelInfo(id=name, name=name, provider=provider, input_modalities=None), said)


def known_names(provider: str, overrides: Overrides | None = None, *, endpoint: str | None = None) -> list[str]:
    """Every name that can be listed, sorted; empty where there is no list to check a name against."""
    vendor = _vendor_of(provider, endpoint)
    own = (overrides or {}).get(provider, {}).keys()
    return sorted(own | _listed(vendor)) if vendor is not None else sorted(own)


def near_names(
    provider: str, name: str, overrides: Overrides | None = None, *, endpoint: str | None = None
) -> list[str]:
    """At most three known names that look like ``name``, the nearest first."""
    return get_close_matches(name.lower(), known_names(provider, overrides, endpoint=endpoint), n=3)


def _vendor_of(provider: str, endpoint: str | None) -> _Vendor | None:
    vendors = _vendors()
    if endpoint is not None:
        for vendor in vendors.values():
            if re.match(vendor.endpoint, endpoint):
                return vendor
    return vendors.get(VENDOR_OF_PROVIDER.get(provider, ""))


def _find(vendor: _Vendor, name: str) -> _Entry | None:
    """The first entry that matches; an entry of another kind than text shields the rules after it."""
    for spelling in spellings(name, vendor.id):
        for entry in _entries(vendor):
            if matches(entry.match, spelling):
                return entry if entry.is_text else None
    return None


def _entries(vendor: _Vendor) -> Iterator[_Entry]:
    """A vendor's own entries, then those of the vendors whose models it sells at their price."""
    for file in (vendor.file, *(_vendors()[other].file for other in vendor.fallback)):
        yield from _models_in(file)


def _listed(vendor: _Vendor) -> set[str]:
    """The names worth suggesting; a name belongs to the first entry that has it."""
    owners: dict[str, _Entry] = {}
    for entry in _entries(vendor):
        for name in _names(entry):
            owners.setdefault(name, entry)
    return {name for name, entry in owners.items() if entry.is_text and not entry.deprecated}


def _names(entry: _Entry) -> Iterator[str]:
    if matches(entry.match, entry.id.lower()):
        yield entry.id
    yield from exact_names(entry.match)


def _info(provider: str, entry: _Entry) -> ModelInfo:
    return ModelInfo(
        id=entry.id,
        name=entry.name or entry.id,
        provider=provider,
        is_reasoning=entry.reasoning,
        input_modalities=entry.input_modalities,
        cost=entry.cost,
        context_window=entry.context_window,
        max_tokens=entry.max_tokens,
    )


def _overridden(info: ModelInfo, said: Mapping[str, Any]) -> ModelInfo:
    try:
        override = msgspec.convert(said, ModelOverride)
    except msgspec.ValidationError as error:
        raise ConfigError(
            f"models: {info.provider}: {info.id}: {error}",
            hint=f"known keys: {', '.join(ModelOverride.__struct_fields__)}",
        ) from error
    given = {key: getattr(override, key) for key in said}
    if "reasoning" in given:
        given["is_reasoning"] = given.pop("reasoning")
    if override.cost is not None:
        prices = {key: getattr(override.cost, key) for key in said["cost"]}
        given["cost"] = msgspec.structs.replace(info.cost or ModelCost(), **prices, long_input=())
    return msgspec.structs.replace(info, **given)


@cache
def _vendors() -> dict[str, _Vendor]:
    index = msgspec.json.decode(_read("models.json"), type=_Index)
    return {vendor.id: vendor for vendor in index.vendors}


@cache
def _models_in(file: str) -> tuple[_Entry, ...]:
    return msgspec.json.decode(_read(file), type=_VendorFile).models


def _read(file: str) -> bytes:
    return files("seatrial.providers").joinpath("data", file).read_bytes()
