"""Which models a host has, by its own account."""

from __future__ import annotations

from collections.abc import Mapping

from seatrial.http_client.client import HttpClient, HttpReply, Timeouts
from seatrial.http_client.gate import origin_of

_LISTINGS = {"/chat/completions": "/models", "/responses": "/models", "/messages": "/models", "/api/chat": "/api/tags"}


async def ask_for_models(url: str, headers: Mapping[str, str], patience: Timeouts) -> HttpReply:
    """What the host of ``url`` answers when it is asked for its models, in one try. Raises `ProviderError`."""
    client = HttpClient(timeouts=patience)
    try:
        return await client.get(list_url(url), headers=headers, max_bytes=client.max_reply_bytes)
    finally:
        await client.close()


def list_url(url: str) -> str:
    """Where a host lists its models, by the address of its answers; the host's root where nobody knows.

    https://platform.openai.com/docs/api-reference/models, https://docs.anthropic.com/en/api/models-list,
    https://docs.ollama.com/api (all 2026-11).
    """
    for ending, listing in _LISTINGS.items():
        base, found, _ = url.partition(ending)
        if found and "/deployments/" not in base:
            return base + listing
    return f"{origin_of(url)}/"
