"""Embedders behind HTTP: batches, retries, vectors of length 1, whatever the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from seatrial.errors import MissingExtraError, ProviderError, RetrievalError
from seatrial.formats.failures import error_of_reply
from seatrial.http_client.client import HttpClient, Timeouts
from seatrial.http_client.retries import RetryPolicy, with_retries

try:
    import numpy as np
except ImportError as error:
    raise MissingExtraError("local", "searching documents") from error

if TYPE_CHECKING:
    from seatrial.retrieval.base import Vectors

_TOTAL_S = 300.0


@dataclass(frozen=True, slots=True)
class EmbeddingWire:
    """How one provider is asked: ``encode`` makes the body, ``decode`` the vectors in the order of the texts."""

    url: str
    headers: Mapping[str, str]
    encode: Callable[[Sequence[str]], Any]
    decode: Callable[[Any], list[list[float]]]
    secrets: tuple[str, ...] = ()


class RemoteEmbedder:
    """Asks a server for vectors. May be used by several threads; must not be called inside an event loop."""

    def __init__(
        self, embedder_id: str, wire: EmbeddingWire, *, max_tokens: int, batch_size: int, timeout_s: float | None = None
    ) -> None:
        self.id = embedder_id
        self.max_tokens = max_tokens
        self._wire = wire
        self._batch_size = batch_size
        self._total_s = _TOTAL_S if timeout_s is None else timeout_s

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Shape (n_texts, dimension), each row of length 1; raises `ProviderError` or `RetrievalError`."""
        return _unit_rows(asyncio.run(self._embedded(texts)), len(texts), self._wire.url)

    def count_tokens(self, text: str) -> int:
        """A careful guess, never too small for usual text: four Latin letters, or one other sign, are a token."""
        ascii_count = sum(char.isascii() for char in text)
        return -(-ascii_count // 4) + len(text) - ascii_count

    async def _embedded(self, texts: Sequence[str]) -> list[list[float]]:
        client = HttpClient(timeouts=Timeouts(total_s=self._total_s))
        try:
            batches = [texts[i : i + self._batch_size] for i in range(0, len(texts), self._batch_size)]
            return [row for batch in batches for row in await self._batch(client, batch)]
        finally:
            await client.close()

    async def _batch(self, client: HttpClient, texts: Sequence[str]) -> list[list[float]]:
        # A blank text is refused by most servers; a space stands in for it.
        body = msgspec.json.encode(self._wire.encode([text if text.strip() else " " for text in texts]))

        async def attempt() -> list[list[float]]:
            reply = await client.post(self._wire.url, headers=self._wire.headers, body=body)
            if reply.status != 200:
                raise error_of_reply(reply.status, reply.headers, reply.body, secrets=self._wire.secrets)
            try:
                rows = self._wire.decode(msgspec.json.decode(reply.body))
            except (msgspec.DecodeError, KeyError, TypeError, ValueError, IndexError) as error:
                raise ProviderError(f"{self._wire.url} answered with something that holds no vectors") from error
            if len(rows) != len(texts):
                raise ProviderError(f"{self._wire.url} gave {len(rows)} vectors for {len(texts)} texts")
            return rows

        return await with_retries(attempt, policy=RetryPolicy(), total_s=self._total_s)


def _unit_rows(rows: list[list[float]], count: int, url: str) -> Vectors:
    if not count:
        return np.empty((0, 0), dtype=np.float32)
    try:
        vectors = np.asarray(rows, dtype=np.float32)
    except ValueError as error:
        raise RetrievalError(f"{url} gave vectors of different lengths") from error
    if vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise RetrievalError(f"{url} gave vectors that are no lists of numbers")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled
