"""What a provider is built from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from seatrial.core.model import Model, ModelInfo


@dataclass(frozen=True, slots=True)
class ProviderOptions:
    """One ``model:`` block in plain values. Secrets are plain text here and must not be shown.

    ``timeout_s`` is the whole request's limit in seconds; ``compat`` holds an endpoint's peculiarities;
    ``folder`` is where relative paths start; ``environ`` is where keys are looked up that the block does not give,
    None for the process's own environment.
    """

    name: str
    endpoint: str | None = None
    api_key: str | None = field(default=None, repr=False)
    api_version: str | None = None
    deployment_name: str | None = None
    auth_provider: str | None = None
    timeout_s: float | None = None
    compat: Mapping[str, Any] = field(default_factory=dict)
    info: ModelInfo | None = None
    folder: str = "."
    environ: Mapping[str, str] | None = field(default=None, repr=False)


class ModelFactory(Protocol):
    """The shape of a catalogue entry: a class or function that makes a `Model`."""

    def __call__(self, options: ProviderOptions) -> Model:
        """Builds the model without any request. Raises `ProviderError` or `ConfigError` for missing settings."""
