"""The one HTTP client: pooled connections, time-outs, retries, Retry-After, redaction, broken transport -> error.

aiohttp is imported when the first request is made, so that loading this file costs nothing.
"""

from __future__ import annotations

import asyncio
import io
import ipaddress
import os
import random
import socket
import ssl
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeGuard, TypeVar
from urllib.parse import urlsplit

from seatrial.errors import AbortedError, ProviderError

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")

PREVIEW_CHARS = 500
LARGE_BODY_BYTES = 1 << 20
DRAIN_S = 0.1
CA_VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Limits in seconds: opening a connection, silence in a stream, silence before a reply that comes whole (the model
    writes all of it in that time), and a reply with all its tries.
    """

    connect_s: float = 10.0
    idle_s: float = 60.0
    whole_s: float = 300.0
    total_s: float = 600.0


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Exponential back-off with full jitter; the server's own word wins, up to ``max_wait_s``."""

    max_tries: int = 5
    base_s: float = 0.5
    cap_s: float = 8.0
    max_wait_s: float = 60.0

    def delay_s(self, attempt: int, error: ProviderError) -> float | None:
        """How long to wait after try ``attempt`` (from 1) failed; None when it must not be repeated."""
        if not error.can_retry or attempt >= self.max_tries:
            return None
        if error.retry_after_s is not None:
            return error.retry_after_s if error.retry_after_s <= self.max_wait_s else None
        return random.SystemRandom().uniform(0, min(self.cap_s, self.base_s * 2 ** (attempt - 1)))


class StopSignal(Protocol):
    """What the client needs of an abort signal."""

    @property
    def is_set(self) -> bool:
        """Whether stop was said."""

    @property
    def reason(self) -> str | None:
        """Why."""

    def on_set(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls ``listener`` when it is set, from any thread; returns the way to leave again."""


class HttpReply(NamedTuple):
    """A reply as it came; ``body`` is empty when its bytes went to ``on_bytes``."""

    status: int
    headers: Mapping[str, str]
    body: bytes


RetryListener = Callable[[int, float, str], None]
BytesSink = Callable[[bytes], bool]
AddressCheck = Callable[[str], bool]


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
        self._limits_by_silence: dict[float, aiohttp.ClientTimeout] = {}

    async def post(
        self, url: str, *, headers: Mapping[str, str], body: bytes, on_bytes: BytesSink | None = None
    ) -> HttpReply:
        """One try. Replies of any status come back; what never became a reply raises `ProviderError`.

        With ``on_bytes`` the body of a 2xx reply is handed over as it arrives, until it returns True (enough).
        """
        session = await self._session()
        silence_s = self.timeouts.whole_s if on_bytes is None else self.timeouts.idle_s
        with _TransportErrors(url, self.timeouts.connect_s, silence_s):
            response = await session.post(
                url,
                data=body if len(body) < LARGE_BODY_BYTES else io.BytesIO(body),
                headers=headers,
                allow_redirects=False,
                proxy=self._proxy_for(url),
                timeout=self._limits(silence_s),
            )
        async with response:
            if on_bytes is not None and 200 <= response.status < 300:
                await self._pass_on(response, on_bytes, silence_s)
                return HttpReply(response.status, response.headers, b"")
            with _TransportErrors(url, self.timeouts.connect_s, silence_s):
                return HttpReply(response.status, response.headers, await _read(response, self.max_reply_bytes))

    async def get(self, url: str, *, headers: Mapping[str, str], max_bytes: int) -> HttpReply:
        """One try, redirects not followed. Replies of any status come back; what never became one raises.

        Raises `ProviderError`, also for an address that is not allowed and for a body (unpacked) over ``max_bytes``.
        """
        session = await self._session()
        proxy = self._proxy_for(url)
        idle_s = self.timeouts.idle_s
        with _TransportErrors(url, self.timeouts.connect_s, idle_s):
            await self._check_host(url, behind_proxy=proxy is not None)
            async with session.get(
                url, headers=headers, allow_redirects=False, proxy=proxy, timeout=self._limits(idle_s)
            ) as response:
                return HttpReply(response.status, response.headers, await _read(response, max_bytes))

    async def prepare(self) -> None:
        """Loads what the first request would load, beside the event loop; opens no connection."""
        await asyncio.to_thread(import_module, "aiohttp")
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

    async def _session(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        session = self._sessions.get(loop)
        if session is not None:
            return session.connections
        connections = self._open_session()
        keeper = _kept_until_the_loop_ends(connections)
        self._sessions[loop] = _Session(connections, keeper)
        await anext(keeper)
        for dead in [other for other in self._sessions if other.is_closed()]:
            await self._sessions.pop(dead).connections.close()
        return connections

    def _open_session(self) -> aiohttp.ClientSession:
        import aiohttp

        connector = aiohttp.TCPConnector(
            limit=0,
            limit_per_host=self.connections_per_host,
            ssl=_custom_ca() or True,
            ttl_dns_cache=300,
            resolver=None if self.allows_address is None else _guarded_resolver(self.allows_address),
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
        errors = _TransportErrors(str(response.url), self.timeouts.connect_s, idle_s)
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

    async def _check_host(self, url: str, *, behind_proxy: bool) -> None:
        """Asks about an address in the URL itself, and about a name that only the proxy will resolve."""
        host = urlsplit(url).hostname or ""
        if self.allows_address is None:
            return
        if _is_address(host):
            if not self.allows_address(host):
                raise _forbidden(host)
        elif behind_proxy:
            loop = asyncio.get_running_loop()
            with suppress(OSError):
                for *_, place in await loop.getaddrinfo(host, None):
                    if not self.allows_address(str(place[0])):
                        raise _forbidden(host)

    def _proxy_for(self, url: str) -> str | None:
        parts = urlsplit(url)
        key = f"{parts.scheme}://{parts.netloc}"
        if key not in self._proxies:
            self._proxies[key] = _proxy_from_environment(parts.scheme, parts.hostname or "")
        return self._proxies[key]


async def with_retries(
    attempt: Callable[[], Awaitable[T]],
    *,
    policy: RetryPolicy,
    total_s: float,
    signal: StopSignal | None = None,
    on_retry: RetryListener | None = None,
) -> T:
    """The result of ``attempt``, repeated as ``policy`` says.

    Raises the last `ProviderError`, also when ``total_s`` seconds have passed, and `AbortedError` as soon as ``signal``
    is set, out of a request or a wait.
    """
    try:
        async with asyncio.timeout(total_s):
            if signal is None:
                return await _tries(attempt, policy, on_retry)
            with _StoppedBy(signal):
                return await _tries(attempt, policy, on_retry)
    except TimeoutError as error:
        raise ProviderError(
            f"no whole reply within {total_s:g} s",
            code="timeout",
            hint="a larger `timeout_s` under `model:` waits longer",
        ) from error


async def _tries(attempt: Callable[[], Awaitable[T]], policy: RetryPolicy, on_retry: RetryListener | None) -> T:
    number = 0
    while True:
        number += 1
        try:
            return await attempt()
        except ProviderError as error:
            delay_s = policy.delay_s(number, error)
            if delay_s is None:
                raise
            if on_retry is not None:
                on_retry(number, delay_s, error.message)
        await asyncio.sleep(delay_s)


class _StoppedBy:
    """Cancels the current task when the signal is set, and makes `AbortedError` of that cancellation."""

    def __init__(self, signal: StopSignal) -> None:
        self._signal = signal
        self._is_over = False
        self._has_cancelled = False

    def __enter__(self) -> None:
        if self._signal.is_set:
            raise AbortedError(self._signal.reason or "aborted")
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a request needs a running task")
        self._task = task
        self._cancels_before = task.cancelling()
        loop = asyncio.get_running_loop()

        def stop() -> None:
            loop.call_soon_threadsafe(self._cancel)

        self._leave = self._signal.on_set(stop)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        self._leave()
        if not self._has_cancelled:
            return
        if self._task.uncancel() <= self._cancels_before and kind is asyncio.CancelledError:
            raise AbortedError(self._signal.reason or "aborted") from error

    def _cancel(self) -> None:
        if not self._is_over:
            self._has_cancelled = True
            self._task.cancel()


def retry_after(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Seconds that the server asks to wait: ``retry-after-ms``, or ``retry-after`` as seconds or as a date.

    A date is measured against the reply's own ``date``, so that a wrong clock here does no harm (RFC 9110, 10.2.3).
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    if value is None:
        return None
    seconds = _number(value)
    if seconds is not None:
        return seconds
    at = _moment(value)
    if at is None:
        return None
    sent_at = _moment(headers.get("date"))
    reference = sent_at if sent_at is not None else (time.time() if now is None else now)
    return max(at - reference, 0.0)


def redact(text: str, secrets: Iterable[str]) -> str:
    """``text`` without the secrets."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "[secret]")
    return text


def preview(text: str) -> str:
    """The beginning of a text, short enough for a message, on one line."""
    line = " ".join(text[: PREVIEW_CHARS * 2].split())
    return line if len(line) <= PREVIEW_CHARS else line[:PREVIEW_CHARS] + "…"


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and 0 <= value < float("inf") else None


def _moment(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() if text else None
    except (ValueError, OverflowError):
        return None


def _custom_ca() -> ssl.SSLContext | None:
    for name in CA_VARIABLES:
        path = os.environ.get(name)
        if not path:
            continue
        try:
            context = ssl.create_default_context()
            is_folder = Path(path).is_dir()
            context.load_verify_locations(cafile=None if is_folder else path, capath=path if is_folder else None)
        except (OSError, ssl.SSLError) as error:
            raise ProviderError(
                f"the certificates in {path} cannot be read: {error}", hint=f"mend or unset the variable {name}"
            ) from error
        return context
    return None


def _proxy_from_environment(scheme: str, host: str) -> str | None:
    from urllib.request import getproxies, proxy_bypass

    proxies = getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    return proxy if proxy and not proxy_bypass(host) else None


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _forbidden(host: str) -> ProviderError:
    return ProviderError(f"{host} is a private or local address", code="forbidden_address")


def _guarded_resolver(allows_address: AddressCheck) -> aiohttp.abc.AbstractResolver:
    """Resolves names as usual and refuses those that lead to an address that is not allowed.

    The check stands between the name's resolution and the connection, so that a name cannot change its address in
    between.
    """
    import aiohttp

    class Guarded(aiohttp.ThreadedResolver):
        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[aiohttp.abc.ResolveResult]:
            found = await super().resolve(host, port, family)
            if host not in _proxy_hosts() and not all(allows_address(result["host"]) for result in found):
                raise _forbidden(host)
            return found

    return Guarded()


def _proxy_hosts() -> set[str]:
    from urllib.request import getproxies

    return {urlsplit(proxy).hostname or "" for proxy in getproxies().values()}


class _Session(NamedTuple):
    """The connections of one event loop, and what closes them."""

    connections: aiohttp.ClientSession
    keeper: AsyncGenerator[None]


async def _kept_until_the_loop_ends(connections: aiohttp.ClientSession) -> AsyncGenerator[None]:
    """Once begun, it is ended by ``asyncio.run`` before the loop closes, and the connections with it."""
    try:
        yield
    finally:
        await connections.close()


async def _read(response: aiohttp.ClientResponse, max_bytes: int) -> bytes:
    pieces: list[bytes] = []
    room = max_bytes
    while piece := await response.content.readany():
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
    try:
        async with asyncio.timeout(DRAIN_S):
            while await response.content.readany():
                pass
    except TimeoutError:
        response.close()


class _TransportErrors:
    """Makes `ProviderError` of what goes wrong on the way within its block."""

    def __init__(self, url: str, connect_s: float, silence_s: float) -> None:
        self._url = url
        self._connect_s = connect_s
        self._silence_s = silence_s

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError | ValueError) or _is_client_error(error):
            raise _transport_error(self._url, error, self._connect_s, self._silence_s) from error


def _is_client_error(error: BaseException | None) -> TypeGuard[Exception]:
    if error is None:
        return False
    import aiohttp

    return isinstance(error, aiohttp.ClientError)


def _transport_error(url: str, error: Exception, connect_s: float, silence_s: float) -> ProviderError:
    import aiohttp

    host = url.partition("://")[2].partition("/")[0].rpartition("@")[2]
    match error:
        case aiohttp.ConnectionTimeoutError():
            return ProviderError(f"{host} did not take a connection within {connect_s:g} s", can_retry=True)
        case aiohttp.ServerTimeoutError():
            return ProviderError(
                f"{host} was silent for {silence_s:g} s",
                code="timeout",
                hint="`compat: {idle_timeout_s: N}` under `model:` waits longer",
            )
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientSSLError():
            return ProviderError(
                f"no secure connection to {host}: {error}",
                hint=f"a company's own CA is named by the variable {CA_VARIABLES[0]}",
            )
        case aiohttp.ClientConnectorDNSError():
            return ProviderError(
                f"the name {host} cannot be resolved: {error.os_error}", hint="check the endpoint's URL"
            )
        case aiohttp.InvalidURL():
            return ProviderError(f"the address {host!r} cannot be used", hint="check the endpoint's URL")
        case ValueError():
            return ProviderError(
                f"the request to {host} cannot be sent: {error}", hint="check the endpoint and the key"
            )
        case aiohttp.ClientConnectorError():
            return ProviderError(
                f"no connection to {host}: {error.os_error.strerror or error.os_error}",
                hint="is the server running?",
                can_retry=True,
            )
        case aiohttp.ClientPayloadError():
            return ProviderError(f"{host} dropped the connection before the end of its reply", can_retry=True)
        case aiohttp.ClientResponseError():
            return ProviderError(f"{host} does not speak HTTP: {preview(error.message)}")
        case _:
            return ProviderError(f"{host} dropped the connection: {str(error) or type(error).__name__}", can_retry=True)
