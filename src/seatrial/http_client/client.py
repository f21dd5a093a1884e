"""Connections to servers, kept open between requests."""

from __future__ import annotations

import asyncio
import io
import ssl
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from seatrial.errors import ProviderError
from seatrial.http_client.gate import HostGate, gate_of, origin_of
from seatrial.http_client.surroundings import (
    AddressCheck,
    check_host,
    custom_ca,
    guarded_resolver,
    proxy_from_environment,
)
from seatrial.http_client.transport import TransportErrors

if TYPE_CHECKING:
    import aiohttp

LARGE_BODY_BYTES = 1 << 20
DRAIN_S = 0.1
KNOWN_URLS = 64
BytesSink = Callable[[bytes], bool]


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Limits in seconds: opening a connection, silence in a stream, silence before a reply that comes whole (the model
    writes all of it in that time), and a reply with all its tries.
    """

    connect_s: float = 10.0
    idle_s: float = 60.0
    whole_s: float = 300.0
    total_s: float = 600.0


class HttpReply(NamedTuple):
    """A reply as it came; ``body`` is empty when its bytes went to ``on_bytes``.

    ``held_s`` are the seconds before the request in which the host wished not to be asked.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    held_s: float = 0.0


class HttpClient:
    """Connections to model hosts, kept open between requests. One object may serve many requests at once.

    It may be used from several event loops; each gets connections of its own. ``allows_address`` is asked about each IP
    address before a connection to it is made; proxies that the environment names are exempt.
    """

    def __init__(
        self,
        *,
        timeouts: Timeouts | None = None,
        connections_per_host: int = 128,
        allows_address: AddressCheck | None = None,
    ) -> None:
        self.timeouts = timeouts or Timeouts()
        self.allows_address = allows_address
        self.connections_per_host = connections_per_host
        self.max_reply_bytes = 1 << 27
        self._sessions: dict[asyncio.AbstractEventLoop, _Session] = {}
        self._proxies: dict[str, str | None] = {}
        self._certificates: ssl.SSLContext | bool | None = None
        self._limits_by_silence: dict[float, aiohttp.ClientTimeout] = {}

    async def post(
        self, url: str, *, headers: Mapping[str, str], body: bytes, on_bytes: BytesSink | None = None
    ) -> HttpReply:
        """One try. Replies of any status come back; what never became a reply raises `ProviderError`.

        With ``on_bytes`` the body of a 2xx reply is handed over as it arrives, until it returns True (enough). While
        the host has asked for a pause, of whomever, the request waits.
        """
        session = await self._session()
        gate = session.gate_of(url)
        held_s = await gate.passed() if gate.wait_s else 0.0
        silence_s = self.timeouts.whole_s if on_bytes is None else self.timeouts.idle_s
        errors = TransportErrors(url, self.timeouts.connect_s, silence_s)
        with errors:
            response = await session.connections.post(
                url,
                data=body if len(body) < LARGE_BODY_BYTES else io.BytesIO(body),
                headers=headers,
                allow_redirects=False,
                proxy=self._proxy_for(url),
                timeout=self._limits(silence_s),
                ssl=self._certificates_for(url),
            )
        async with response:
            gate.note(response.status, response.headers)
            if on_bytes is not None and 200 <= response.status < 300:
                await self._pass_on(response, on_bytes, silence_s)
                return HttpReply(response.status, response.headers, b"", held_s)
            with errors:
                body = await _read(response, self.max_reply_bytes)
            return HttpReply(response.status, response.headers, body, held_s)

    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> HttpReply:
        """One try, redirects not followed. Replies of any status come back; what never became one raises.

        Raises `ProviderError`, also for an address that is not allowed and for a body (unpacked) over ``max_bytes``.
        """
        session = await self._session()
        proxy = self._proxy_for(url)
        idle_s = self.timeouts.idle_s
        with TransportErrors(url, self.timeouts.connect_s, idle_s):
            if self.allows_address is not None:
                await check_host(url, self.allows_address, behind_proxy=proxy is not None)
            async with session.connections.get(
                url,
                headers=headers,
                allow_redirects=False,
                proxy=proxy,
                timeout=self._limits(idle_s),
                ssl=self._certificates_for(url),
            ) as response:
                return HttpReply(response.status, response.headers, await _read(response, max_bytes))

    async def prepare(self) -> None:
        """Loads what the first request would load, beside the event loop; opens no connection."""
        for name in ("aiohttp", "encodings.idna"):
            await asyncio.to_thread(import_module, name)
        await self._session()

    async def close(self) -> None:
        """Closes every connection. A later request would open new ones."""
        here = asyncio.get_running_loop()
        sessions, self._sessions = self._sessions, {}
        for loop, session in sessions.items():
            if loop is here or not loop.is_running():
                await session.keeper.aclose()
            else:
                await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(session.connections.close(), loop))

    async def _session(self) -> _Session:
        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is not None:
            return session
        connections = self._open_session()
        keeper = _kept_until_the_loop_ends(connections)
        self._sessions[loop] = session = _Session(connections, keeper, {})
        await anext(keeper)
        for dead in [other for other in self._sessions if other.is_closed()]:
            await self._sessions.pop(dead).connections.close()
        return session

    def _open_session(self) -> aiohttp.ClientSession:
        import aiohttp

        connector = aiohttp.TCPConnector(
            limit=0,
            limit_per_host=self.connections_per_host,
            ttl_dns_cache=300,
            resolver=None if self.allows_address is None else guarded_resolver(self.allows_address),
        )
        return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), raise_for_status=False)

    def _limits(self, silence_s: float) -> aiohttp.ClientTimeout:
        limits = self._limits_by_silence.get(silence_s)
        if limits is None:
            import aiohttp

            limits = aiohttp.ClientTimeout(total=None, sock_connect=self.timeouts.connect_s, sock_read=silence_s)
            self._limits_by_silence[silence_s] = limits
        return limits

    async def _pass_on(self, response: aiohttp.ClientResponse, on_bytes: BytesSink, idle_s: float) -> None:
        errors = TransportErrors(str(response.url), self.timeouts.connect_s, idle_s)
        room = self.max_reply_bytes
        while True:
            with errors:
                piece = await response.content.readany()
            if not piece:
                return
            room -= len(piece)
            if room < 0:
                raise _too_large(self.max_reply_bytes)
            if on_bytes(piece):
                await _drain(response)
                return

    def _certificates_for(self, url: str) -> ssl.SSLContext | bool:
        if not url.startswith("https:"):
            return True
        if self._certificates is None:
            self._certificates = custom_ca() or True
        return self._certificates

    def _proxy_for(self, url: str) -> str | None:
        if url not in self._proxies:
            if len(self._proxies) >= KNOWN_URLS:
                self._proxies.clear()
            parts = urlsplit(url)
            self._proxies[url] = proxy_from_environment(parts.scheme, parts.hostname or "")
        return self._proxies[url]


class _Session(NamedTuple):
    """The connections of one event loop, what closes them, and the gates of the hosts that were asked, by URL."""

    connections: aiohttp.ClientSession
    keeper: AsyncGenerator[None]
    gates: dict[str, HostGate]

    def gate_of(self, url: str) -> HostGate:
        """The gate of the URL's host."""
        gate = self.gates.get(url)
        if gate is None:
            if len(self.gates) >= KNOWN_URLS:
                self.gates.clear()
            gate = self.gates[url] = gate_of(origin_of(url))
        return gate


async def _kept_until_the_loop_ends(connections: aiohttp.ClientSession) -> AsyncGenerator[None]:
    """Once begun, it is ended by ``asyncio.run`` before the loop closes, and the connections with it."""
    try:
        yield
    finally:
        await connections.close()


async def _read(response: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    pieces: list[bytes] = []
    room = max_bytes
    content = response.content
    while not content.at_eof() and (piece := await content.readany()):
        pieces.append(piece)
        room -= len(piece)
        if room < 0:
            response.close()
            raise _too_large(max_bytes)
    return b"".join(pieces)


def _too_large(max_bytes: int) -> ProviderError:
    return ProviderError(f"the reply is larger than {max_bytes:,} bytes", code="too_large")


async def _drain(response: aiohttp.ClientResponse) -> None:
    """Reads what is left so that the connection can be used again; a server that keeps it open is hung up on."""
    import aiohttp

    try:
        async with asyncio.timeout(DRAIN_S):
            while await response.content.readany():
                pass
    except TimeoutError:
        response.close()
    except aiohttp.ClientError:
        return
