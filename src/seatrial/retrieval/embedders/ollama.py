"""Embeddings of an Ollama server. Wire: https://docs.ollama.com/api/embed (2026-11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seatrial.errors import ConfigError
from seatrial.providers.connection import base_url, variable
from seatrial.retrieval.base import EmbedderOptions
from seatrial.retrieval.embedders.remote import EmbeddingWire, RemoteEmbedder

_BASE_URL = "http://localhost:11434"
_MAX_TOKENS = 512
_BATCH = 64


def ollama_embedder(options: EmbedderOptions) -> RemoteEmbedder:
    """A model of an Ollama server: ``endpoint``, else ``OLLAMA_HOST``, else this machine. It needs no key."""
    connection = options.connection
    name = connection.name
    if not name:
        raise ConfigError(
            "`embedding: provider: ollama` has no name", hint="write `name: nomic-embed-text`, for example"
        )
    endpoint = connection.endpoint or variable(connection, "OLLAMA_HOST") or _BASE_URL
    base = base_url(_with_scheme(endpoint)).removesuffix("/v1").removesuffix("/api")
    key = (connection.api_key or "").strip()

    def encode(texts: Sequence[str]) -> dict[str, Any]:
        asked: dict[str, Any] = {"model": name, "input": list(texts), "truncate": True}
        return asked if options.dimensions is None else {**asked, "dimensions": options.dimensions}

    headers = {"content-type": "application/json"}
    if key:
        headers["authorization"] = f"Bearer {key}"
    wire = EmbeddingWire(
        f"{base}/api/embed", headers, encode, lambda reply: list(reply["embeddings"]), secrets=(key,) if key else ()
    )
    size = f":{options.dimensions}" if options.dimensions else ""
    return RemoteEmbedder(
        f"{base}:{name}{size}", wire, max_tokens=_MAX_TOKENS, batch_size=_BATCH, timeout_s=connection.timeout_s
    )


def _with_scheme(endpoint: str) -> str:
    """``OLLAMA_HOST`` may be a bare host, with or without a port."""
    if "://" in endpoint:
        return endpoint
    return f"http://{endpoint}" if ":" in endpoint else f"http://{endpoint}:11434"
