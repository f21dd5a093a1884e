"""One client of one server, entered and left by one task."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

from mcp import Client, MCPError
from mcp.client import IncomingMessage, Transport, session
from mcp.client.subscriptions import SubscriptionLost
from mcp.types import Implementation, LoggingMessageNotificationParams, ToolListChangedNotification
from mcp.types.version import MODERN_PROTOCOL_VERSIONS

from seatrial import __version__
from seatrial.tools.mcp.environment import server_environment
from seatrial.tools.mcp.exchange import HttpFailure
from seatrial.tools.mcp.launch import checked_command
from seatrial.tools.mcp.lenient import LenientTransport
from seatrial.tools.mcp.process import ServerProcess
from seatrial.tools.mcp.remote_http import sse, streamable_http
from seatrial.tools.mcp.settings import McpSettings
from seatrial.tools.mcp.stdio import StdioTransport

CLOSE_LIMIT_S = 6.0
SETTLE_LIMIT_S = 0.5
MAX_LISTEN_TRIES = 5
_SESSION_FILE = session.__file__

OnLog = Callable[[str], None]


class Link:
    """Opened once and closed once. ``tools_changed`` is set by the server's notices, and is the reader's to clear."""

    def __init__(self, settings: McpSettings, *, transport: str, mode: str, on_log: OnLog) -> None:
        self.process: ServerProcess | None = None
        self.http_failure: HttpFailure | None = None
        self.tools_changed = False
        self._settings = settings
        self._transport_name = transport
        self._mode = mode
        self._on_log = on_log
        self._is_over = asyncio.Event()
        self._ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._owner: asyncio.Task[None] | None = None
        self._limit: asyncio.Timeout | None = None

    @property
    def is_open(self) -> bool:
        """Whether requests can be sent."""
        return self._ready.done() and not self._is_over.is_set() and self._owner is not None and not self._owner.done()

    @property
    def client(self) -> Client:
        """The protocol library's client; only once it is open."""
        return self._ready.result()

    @property
    def is_modern(self) -> bool:
        """Whether the server speaks a revision without a handshake."""
        return self.client.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def has_timed_out(self) -> bool:
        """Whether it was given up because it was not ready in time."""
        return self._limit is not None and self._limit.expired()

    @property
    def cause(self) -> BaseException | None:
        """What ended it, when it has ended by an error."""
        owner = self._owner
        return None if owner is None or not owner.done() or owner.cancelled() else owner.exception()

    async def open(self) -> None:
        """Connects. Raises whatever is in the way; nothing is left behind then."""
        self._owner = asyncio.create_task(self._own(), name=f"mcp server {self._settings.name}")
        try:
            await asyncio.wait((self._owner, self._ready), return_when=asyncio.FIRST_COMPLETED)
        except BaseException:
            await self._give_up(self._owner)
            raise
        if not self._ready.done():
            raise self.cause or ConnectionError("the connection was given up")

    async def _give_up(self, owner: asyncio.Task[None]) -> None:
        if self.process is not None:
            self.process.has_no_time = True
        owner.cancel()
        await asyncio.wait((owner,), timeout=CLOSE_LIMIT_S)
        _ = self.cause

    async def close(self, *, at_once: bool = False) -> None:
        """Leaves the client and ends the process. Nothing is raised for how that went."""
        if at_once and self.process is not None:
            self.process.has_no_time = True
        self._is_over.set()
        if self._owner is None:
            return
        _, still_running = await asyncio.wait((self._owner,), timeout=CLOSE_LIMIT_S)
        if still_running:
            self._owner.cancel()
            await asyncio.wait((self._owner,), timeout=CLOSE_LIMIT_S)
        _ = self.cause

    async def settle(self) -> None:
        """Gives the end of a connection a moment to show its cause."""
        if self._owner is not None and not self.is_open:
            await asyncio.wait((self._owner,), timeout=SETTLE_LIMIT_S)

    async def _own(self) -> None:
        _keep_quiet()
        self._limit = limit = asyncio.timeout(self._settings.connect_timeout_s)
        async with (
            limit,
            self._transport() as transport,
            self._client(transport) as client,
        ):
            limit.reschedule(None)
            self._limit = None
            self._ready.set_result(client)
            listening = asyncio.create_task(self._listen(client))
            try:
                await self._is_over.wait()
            finally:
                listening.cancel()
                await asyncio.wait((listening,))

    def _client(self, transport: Transport) -> Client:
        return Client(
            transport,
            mode=self._mode,
            read_timeout_seconds=self._settings.connect_timeout_s,
            client_info=Implementation(name="seatrial", version=__version__),
            message_handler=self._hear,
            logging_callback=self._log,
            cache=None,
        )

    @asynccontextmanager
    async def _transport(self) -> AsyncIterator[Transport]:
        if self._transport_name == "stdio":
            async with self._stdio() as transport:
                yield transport
            return
        inner: Any = (
            sse(self._settings, self._refused)
            if self._transport_name == "sse"
            else streamable_http(self._settings, self._refused)
        )
        transport = LenientTransport(inner, self._is_over)
        yield cast(Transport, transport)

    @asynccontextmanager
    async def _stdio(self) -> AsyncIterator[Transport]:
        settings = self._settings
        env = server_environment(settings.env, settings.inherit_env)
        command = checked_command(settings, env)
        self.process = await ServerProcess.start(settings.name, command, settings.args, env=env, cwd=settings.cwd)
        try:
            yield cast(Transport, StdioTransport(self.process, settings.encoding, self._is_over))
        finally:
            await self.process.stop()

    def _refused(self, failure: HttpFailure) -> None:
        self.http_failure = failure
        if self._transport_name == "sse" and failure.method == "POST":
            # The library lets the request of such a refusal wait for ever.
            self._is_over.set()

    async def _hear(self, message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            self.tools_changed = True

    async def _log(self, params: LoggingMessageNotificationParams) -> None:
        data = params.data
        self._on_log(f"{params.level}: {data if isinstance(data, str) else repr(data)}"[:2000])

    async def _listen(self, client: Client) -> None:
        """Has changes of the list told, where that must be asked for; after a gap the list counts as changed."""
        tools = client.server_capabilities.tools
        # Without asking for the protocol first, nothing is known of what the server can do.
        is_told = self._mode != "auto" or (tools is not None and tools.list_changed)
        if not self.is_modern or not is_told:
            return
        was_heard = False
        for attempt in range(MAX_LISTEN_TRIES):
            with suppress(MCPError, SubscriptionLost, TimeoutError):
                async with client.listen(tools_list_changed=True) as changes:
                    was_heard = True
                    if not changes.honored.tools_list_changed:
                        return
                    # What changed between the listing and this was told to nobody.
                    self.tools_changed = True
                    async for _ in changes:
                        self.tools_changed = True
            if not was_heard:
                return
            self.tools_changed = True
            await asyncio.sleep(2.0**attempt)


def _keep_quiet() -> None:
    """Sends what the protocol library logs to our log, where it is seen when debugging only."""
    own, shared = logging.getLogger("mcp"), logging.getLogger("client")
    if not any(isinstance(handler, _ToOurs) for handler in own.handlers):
        own.addHandler(_ToOurs())
        own.propagate = False
    if not any(isinstance(sieve, _Sieve) for sieve in shared.filters):
        shared.addFilter(_Sieve())


class _ToOurs(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        logging.getLogger("seatrial.mcp").debug("%s: %s", record.name, record.getMessage())


class _Sieve(logging.Filter):
    """Keeps the library's records out of a logger whose name may be somebody else's too."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.pathname != _SESSION_FILE:
            return True
        _ToOurs().emit(record)
        return False
