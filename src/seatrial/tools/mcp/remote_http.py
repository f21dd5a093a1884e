"""The transports to a server that is reached by an address."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx2
from mcp.client import Transport
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client

from seatrial.http_client.retry_after import retry_after
from seatrial.tools.mcp.exchange import CURRENT_EXCHANGE, HttpFailure, shown_url
from seatrial.tools.mcp.settings import McpSettings

# A stream of a server may be silent for as long as it likes: calls have their own limits.
_TIMEOUT_S = 30.0
_MAX_EVENT_BYTES = 64 * 1024 * 1024
_SESSION = "mcp-session-id"

OnFailure = Callable[[HttpFailure], None]


@asynccontextmanager
async def streamable_http(settings: McpSettings, on_failure: OnFailure) -> AsyncIterator[Any]:
    """Streams to the address by streamable HTTP; every refused request is told."""
    async with (
        _client(settings, on_failure) as client,
        streamable_http_client(settings.url, http_client=client, max_sse_event_size=_MAX_EVENT_BYTES) as streams,
    ):
        yield streams


def sse(settings: McpSettings, on_failure: OnFailure) -> Transport:
    """Streams to the address by the older transport of two connections."""

    def client(headers: Any = None, timeout: Any = None, auth: Any = None) -> httpx2.AsyncClient:
        del headers, timeout, auth
        return _client(settings, on_failure)

    return cast(Transport, sse_client(settings.url, httpx_client_factory=client))


def _client(settings: McpSettings, on_failure: OnFailure) -> httpx2.AsyncClient:
    async def look(response: httpx2.Response) -> None:
        if response.status_code < 400:
            return
        request = response.request
        failure = HttpFailure(
            status=response.status_code,
            reason=response.reason_phrase,
            method=request.method,
            url=shown_url(str(request.url)),
            retry_after_s=retry_after(response.headers),
            has_session=_SESSION in request.headers,
        )
        exchange = CURRENT_EXCHANGE.get()
        if exchange is not None:
            exchange.failure = failure
        on_failure(failure)

    return httpx2.AsyncClient(
        headers=dict(settings.headers),
        timeout=httpx2.Timeout(_TIMEOUT_S, read=None),
        event_hooks={"response": [look]},
    )
