"""What an agent file leaves open of its providers and stores, taken from the settings around it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from seatrial.config.embedding import EmbeddingConfig
from seatrial.config.holodeck import Dialect, carry_over_databases
from seatrial.config.located import Block, KeyPath, Listing, value_at
from seatrial.config.settings import Settings
from seatrial.config.trip import Trip

KEY_VARIABLE = "api_key_env"
_NOT_FOR_EMBEDDINGS = {"name", "temperature", "max_tokens", "top_p"}
# Which variable stands for a key that a block does not give; the providers read them by themselves.
_VARIABLES: Mapping[str, Mapping[str, str]] = {
    "openai": {"endpoint": "OPENAI_BASE_URL", "api_key": "OPENAI_API_KEY"},
    "azure_openai": {
        "endpoint": "AZURE_OPENAI_ENDPOINT",
        "api_version": "OPENAI_API_VERSION",
        "api_key": "AZURE_OPENAI_API_KEY",
    },
    "anthropic": {"endpoint": "ANTHROPIC_BASE_URL", "api_key": "ANTHROPIC_API_KEY"},
    "ollama": {"endpoint": "OLLAMA_HOST"},
}


def apply_settings(data: Block, found: list[Settings], trip: Trip, dialect: Dialect) -> None:
    """Completes model and embedding blocks, and puts stores in place of their names. Only what is used is looked at."""
    for settings in found:
        trip.findings += settings.problems
        if settings.source is not None:
            trip.sources[settings.source.path] = settings.source
    for block in _blocks_with_provider(data):
        for settings in found:
            _complete(block, settings, trip)
    for embedding in (data.get("embedding"), data.get("embedding_provider")):
        if isinstance(embedding, Block):
            for settings in found:
                _complete(embedding, settings, trip, EmbeddingConfig.model_fields.keys() - _NOT_FOR_EMBEDDINGS)
    _replace_stores(data, found, trip, dialect)


def _complete(block: Block, settings: Settings, trip: Trip, keys: set[str] | None = None) -> None:
    name = block.get("provider")
    defaults = settings.of_provider(name) if isinstance(name, str) else None
    if defaults is None:
        return
    trip.fill(defaults, settings.source)
    _read_key_variable(defaults, trip.environ)
    variables = _VARIABLES.get(str(name), {}) if settings.is_behind_environment else {}
    for key, value in defaults.items():
        is_open = block.get(key) is None and not trip.environ.get(variables.get(key, ""))
        if value is not None and is_open and (keys is None or key in keys):
            block.take_over(key, defaults)


def _read_key_variable(defaults: Block, environ: Mapping[str, str]) -> None:
    """``api_key_env: NAME`` as the key in that variable, where it is set."""
    name = defaults.pop(KEY_VARIABLE, None)
    if isinstance(name, str) and environ.get(name) and defaults.get("api_key") is None:
        defaults["api_key"] = environ[name]
        if KEY_VARIABLE in defaults.spots:
            defaults.spots["api_key"] = defaults.spots[KEY_VARIABLE]


def _blocks_with_provider(data: Block) -> Iterator[Block]:
    paths: list[KeyPath] = [("model",), ("evaluations", "model")]
    for holder in (("evaluations", "metrics"), ("tools",), ("variants",)):
        items = value_at(data, holder)
        paths += [(*holder, index, "model") for index in range(len(items) if isinstance(items, list) else 0)]
    yield from (block for path in paths if isinstance(block := value_at(data, path), Block))


def _replace_stores(data: Block, found: list[Settings], trip: Trip, dialect: Dialect) -> None:
    stores: dict[str, Block] = {}
    for name in _stores_named(data.get("tools")):
        settings = next((settings for settings in found if name in settings.stores), None)
        if settings is not None:
            stores[name] = settings.stores[name]
            trip.fill(stores[name], settings.source)
    carry_over_databases(data, stores, dialect)


def _stores_named(tools: Any) -> set[str]:
    blocks = [tool for tool in tools if isinstance(tool, Block)] if isinstance(tools, Listing) else []
    return {tool["database"] for tool in blocks if isinstance(tool.get("database"), str)}
