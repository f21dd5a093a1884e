"""Names that the catalogues do not know, told also for a file that has other errors."""

from __future__ import annotations

from collections.abc import Iterator

from seatrial.assembly.near_metrics import metric_hint
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.loaded import LoadedAgent
from seatrial.config.located import Block
from seatrial.config.names import did_you_mean
from seatrial.config.names_used import databases_used, metrics_used, providers_used
from seatrial.metrics import catalog
from seatrial.providers.catalog import PROVIDERS
from seatrial.retrieval.catalog import STORES


def unknown_names(loaded: LoadedAgent) -> Iterator[Diagnostic]:
    """Providers, metrics and stores that do not exist."""
    for path, name in providers_used(loaded.data):
        if name not in PROVIDERS:
            hint = did_you_mean(name, PROVIDERS.names())
            yield loaded.diagnose("ST406", path, f"there is no provider {name!r}", hint=hint)
    for path, name in metrics_used(loaded.data):
        if name not in catalog.METRICS:
            yield loaded.diagnose("ST306", path, f"there is no metric {name!r}", hint=metric_hint(name))
    yield from unknown_in_settings(loaded)
    yield from unknown_stores(loaded)


def unknown_in_settings(loaded: LoadedAgent) -> Iterator[Diagnostic]:
    """Providers of the settings' ``models:`` that do not exist: nothing would ever be looked up there."""
    overrides = loaded.model_overrides
    if not isinstance(overrides, Block):
        return
    for name in overrides:
        if name not in PROVIDERS:
            message = f"`models:` speaks of the provider {name!r}, and there is none of that name"
            hint = did_you_mean(name, PROVIDERS.names())
            place = overrides.place_of_key(name)
            yield loaded.finished(Diagnostic("warning", "ST510", message, place, hint=hint, key_path=("models", name)))


def unknown_stores(loaded: LoadedAgent) -> Iterator[Diagnostic]:
    """Stores that do not exist."""
    for path, name in databases_used(loaded.data):
        if name not in STORES:
            hint = did_you_mean(name, STORES.names())
            yield loaded.diagnose("ST309", path, f"there is no store {name!r}", hint=hint)
