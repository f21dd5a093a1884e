"""Embeddings of OpenAI, of Azure OpenAI and of servers that speak the same wire.

Wire: https://platform.openai.com/docs/api-reference/embeddings (2026-11).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from seatrial.errors import ConfigError
from seatrial.providers.base import ProviderOptions
from seatrial.providers.connection import base_url, required_key, variable
from seatrial.retrieval.base import EmbedderOptions
from seatrial.retrieval.embedders.remote import EmbeddingWire, RemoteEmbedder

_BASE_URL = "https://api.openai.com/v1"
_AZURE_VERSION = "2024-10-21"
_MODEL = "text-embedding-3-small"
_MAX_TOKENS = 8191
# Other servers hold smaller models; the most common read 512 tokens.
_OTHER_MAX_TOKENS = 512
_BATCH = 64


def openai_embedder(options: EmbedderOptions) -> RemoteEmbedder:
    """A model of OpenAI, ``text-embedding-3-small`` where none is named. The key: ``OPENAI_API_KEY``."""
    connection = options.connection
    name = connection.name or _MODEL
    key = required_key(connection, "openai", "OPENAI_API_KEY")
    base = base_url(connection.endpoint or variable(connection, "OPENAI_BASE_URL") or _BASE_URL)
    wire = _wire(f"{base}/embeddings", {"authorization": f"Bearer {key}"}, name, options.dimensions, key)
    where = "openai" if base == _BASE_URL else base
    return _embedder(f"{where}:{name}", wire, options, _MAX_TOKENS)


def openai_compatible_embedder(options: EmbedderOptions) -> RemoteEmbedder:
    """A model of any server with ``/embeddings``; a key only where the server wants one."""
    connection = options.connection
    name = _required(connection.name, "name", "openai_compatible")
    base = base_url(_required(connection.endpoint, "endpoint", "openai_compatible"))
    key = (connection.api_key or "").strip()
    headers = {"authorization": f"Bearer {key}"} if key else {}
    wire = _wire(f"{base}/embeddings", headers, name, options.dimensions, key)
    return _embedder(f"{base}:{name}", wire, options, _OTHER_MAX_TOKENS)


def azure_openai_embedder(options: EmbedderOptions) -> RemoteEmbedder:
    """A deployment on Azure. The key: ``AZURE_OPENAI_API_KEY``; the endpoint: ``AZURE_OPENAI_ENDPOINT``."""
    connection = options.connection
    endpoint = connection.endpoint or variable(connection, "AZURE_OPENAI_ENDPOINT")
    deployment = _required(connection.deployment_name or connection.name, "name", "azure_openai")
    key = required_key(connection, "azure_openai", "AZURE_OPENAI_API_KEY")
    url = _deployment_url(_required(endpoint, "endpoint", "azure_openai"), deployment, _azure_version(connection))
    wire = _wire(url, {"api-key": key}, deployment, options.dimensions, key)
    return _embedder(f"azure_openai:{connection.name or deployment}", wire, options, _MAX_TOKENS)


def _embedder(name: str, wire: EmbeddingWire, options: EmbedderOptions, max_tokens: int) -> RemoteEmbedder:
    size = f":{options.dimensions}" if options.dimensions else ""
    return RemoteEmbedder(
        name + size, wire, max_tokens=max_tokens, batch_size=_BATCH, timeout_s=options.connection.timeout_s
    )


def _wire(url: str, headers: Mapping[str, str], model: str, dimensions: int | None, key: str) -> EmbeddingWire:
    return EmbeddingWire(
        url,
        {"content-type": "application/json", **headers},
        _encoder(model, dimensions),
        _vectors,
        secrets=(key,) if key else (),
    )


def _encoder(model: str, dimensions: int | None) -> Callable[[Sequence[str]], dict[str, Any]]:
    fixed: dict[str, Any] = {"model": model, "encoding_format": "float"}
    if dimensions is not None:
        fixed["dimensions"] = dimensions
    return lambda texts: {**fixed, "input": list(texts)}


def _vectors(reply: Any) -> list[list[float]]:
    """The vectors by their ``index``: servers may answer in any order."""
    return [item["embedding"] for item in sorted(reply["data"], key=lambda item: int(item["index"]))]


def _deployment_url(endpoint: str, deployment: str, version: str) -> str:
    base = base_url(endpoint)
    if base.endswith("/openai/v1"):
        return f"{base}/embeddings"
    path = f"openai/deployments/{quote(deployment, safe='')}/embeddings"
    return f"{base.removesuffix('/openai')}/{path}?api-version={quote(version, safe='')}"


def _azure_version(connection: ProviderOptions) -> str:
    return connection.api_version or variable(connection, "OPENAI_API_VERSION") or _AZURE_VERSION


def _required(value: str | None, key: str, provider: str) -> str:
    if not value:
        raise ConfigError(f"`embedding: provider: {provider}` has no {key}", hint=f"write `{key}:` under `embedding:`")
    return value
