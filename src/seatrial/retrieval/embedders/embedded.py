"""The embedded model, one for the whole process."""

from __future__ import annotations

from seatrial.providers.minilm import MiniLM, shared_minilm
from seatrial.retrieval.base import EmbedderOptions


def embedded_minilm(_options: EmbedderOptions) -> MiniLM:
    """all-MiniLM-L6-v2 on this machine; it has nothing to choose."""
    return shared_minilm()
