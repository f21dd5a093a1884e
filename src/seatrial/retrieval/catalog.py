"""Which embedders and stores there are."""

from __future__ import annotations

from collections.abc import Callable

from seatrial.plugins import Registry
from seatrial.retrieval.base import Embedder, Store, StoreOptions

DEFAULT_EMBEDDER = "minilm"

EMBEDDERS: Registry[Callable[[], Embedder]] = Registry(
    "embedder", "seatrial.embedders", {"minilm": "seatrial.providers.minilm:shared_minilm"}
)

STORES: Registry[Callable[[StoreOptions], Store]] = Registry(
    "store", "seatrial.stores", {"embedded": "seatrial.retrieval.stores.embedded:EmbeddedStore"}
)
