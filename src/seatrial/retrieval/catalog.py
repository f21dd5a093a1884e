"""Which embedders and stores there are."""

from __future__ import annotations

from collections.abc import Callable

from seatrial.plugins import Registry
from seatrial.retrieval.base import Embedder, EmbedderOptions, Store, StoreOptions

DEFAULT_EMBEDDER = "local"
DEFAULT_STORE = "embedded"

EMBEDDERS: Registry[Callable[[EmbedderOptions], Embedder]] = Registry(
    "embedder",
    "seatrial.embedders",
    {
        "local": "seatrial.retrieval.embedders.embedded:embedded_minilm",
        "fast": "seatrial.retrieval.embedders.static:StaticEmbedder",
        "openai": "seatrial.retrieval.embedders.openai:openai_embedder",
        "azure_openai": "seatrial.retrieval.embedders.openai:azure_openai_embedder",
        "openai_compatible": "seatrial.retrieval.embedders.openai:openai_compatible_embedder",
        "ollama": "seatrial.retrieval.embedders.ollama:ollama_embedder",
    },
)

STORES: Registry[Callable[[StoreOptions], Store]] = Registry(
    "store",
    "seatrial.stores",
    {
        "embedded": "seatrial.retrieval.stores.embedded:EmbeddedStore",
        "pgvector": "seatrial.retrieval.stores.pgvector:PgvectorStore",
        "qdrant": "seatrial.retrieval.stores.qdrant:QdrantStore",
    },
)
