"""One live connection to one MCP server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from seatrial.core.waiting import give_up
from seatrial.errors import McpError, MissingExtraError

try:
    from mcp import MCPError
    from mcp.client import InputRequiredRoundsExceededError
except ModuleNotFoundError as missing:
    raise MissingExtraError("mcp", "a tool of type mcp") from missing

from seatrial.tools.mcp.exchange import CURRENT_EXCHANGE, Exchange
from seatrial.tools.mcp.failures import CURSOR_REFUSED, METHOD_NOT_FOUND, Failures
from seatrial.tools.mcp.link import Link
from seatrial.tools.mcp.listing import CursorRefusedError, Listing, Page
from seatrial.tools.mcp.mend import Original
from seatrial.tools.mcp.remote import RemoteResult, RemoteTool
from seatrial.tools.mcp.settings import McpSettings

# The library measures a call's time from when it is written, which a server that does not read can hold up for ever.
_SPARE_S = 0.5
# A call that is given up has this long to tell the server, then it does so in the background.
_TELL_S = 0.2

T = TypeVar("T")
OnText = Callable[[str], None]


class McpConnection:
    """A server that is started or reached, its tools, and calls of them.

    Opened once by `start` and closed once by `stop`, in one event loop; calls may come from any task of that loop, many
    at once. ``on_log`` is told what the server logs. ``eras`` remembers across connections which servers take no newer
    protocol; hand the same dict to all of them.
    """

    def __init__(
        self, settings: McpSettings, *, on_log: OnText | None = None, eras: dict[str, str] | None = None
    ) -> None:
        self.settings = settings
        self.tools: tuple[RemoteTool, ...] = ()
        self.warnings: tuple[str, ...] = ()
        self._on_log: OnText = on_log or (lambda _text: None)
        self._eras = {} if eras is None else eras
        self._failures = Failures(settings)
        self._link: Link | None = None
        self._may_know_older = True

    @property
    def is_open(self) -> bool:
        """Whether calls can be made."""
        return self._link is not None and self._link.is_open

    @property
    def has_new_tools(self) -> bool:
        """Whether the server has said since the last listing that its tools changed."""
        return self._link is not None and self._link.tools_changed

    @property
    def protocol_version(self) -> str:
        """The revision that is spoken; only while it is open."""
        return self._opened.client.protocol_version

    @property
    def instructions(self) -> str | None:
        """What the server says about its use; only while it is open."""
        return self._opened.client.instructions

    @property
    def stderr(self) -> tuple[str, ...]:
        """The last lines that the server wrote to its stderr, and those on its stdout that were no messages."""
        process = None if self._link is None else self._link.process
        return () if process is None else process.stderr.lines

    async def start(self) -> None:
        """Starts or reaches the server and lists its tools. Raises `McpError`; nothing is left behind then."""
        self._link = await self._connected()
        try:
            await self.relist()
        except BaseException:
            await self.stop()
            raise

    async def stop(self, *, at_once: bool = False) -> None:
        """Closes the connection and ends the process, ``at_once`` without giving it time to end itself.

        May be called at any time and again.
        """
        if self._link is not None:
            await self._link.close(at_once=at_once)

    async def relist(self) -> None:
        """Lists the tools again. Raises `McpError`, then the tools stay as they were."""
        link = self._opened
        link.tools_changed = False
        try:
            async with asyncio.timeout(self.settings.connect_timeout_s):
                listing = await Listing.fetched(self._page, empty_cursor_ends=not link.is_modern)
        except (MCPError, ValueError, TimeoutError) as error:
            if isinstance(error, MCPError) and error.code == METHOD_NOT_FOUND and link.is_open:
                listing = Listing.without_tools(f"it offers no tools: {error.message} (code {error.code})")
            else:
                link.tools_changed = True
                await link.settle()
                raise self._failures.of_listing(link, error) from error
        self.tools = tuple(listing.tools.values())
        self.warnings = listing.warnings

    async def call(
        self,
        name: str,
        arguments: dict[str, Any],
        *,
        timeout_s: float | None = None,
        on_progress: OnText | None = None,
    ) -> RemoteResult:
        """What the tool of this wire name gives; its own failure is a result with ``is_error``.

        Raises `McpError` when the server refuses, breaks off or takes longer than ``timeout_s`` (the settings' when
        None); the connection survives the last. Cancelling the caller is told to the server.
        """
        link = self._opened
        limit_s = self.settings.call_timeout_s if timeout_s is None else timeout_s
        exchange = Exchange()
        token = CURRENT_EXCHANGE.set(exchange)
        call = link.client.call_tool(
            name, arguments, read_timeout_seconds=limit_s, progress_callback=_progress(on_progress)
        )
        try:
            result = await _within(limit_s + _SPARE_S, asyncio.ensure_future(call), name)
        except (MCPError, ValueError, RuntimeError, InputRequiredRoundsExceededError, TimeoutError) as error:
            await link.settle()
            raise self._failures.of_call(link, name, limit_s, error, exchange.failure) from error
        finally:
            CURRENT_EXCHANGE.reset(token)
        original = Original.within(result.meta)
        return RemoteResult.of(result.model_dump(by_alias=True) if original is None else original)

    @property
    def _opened(self) -> Link:
        if self._link is None:
            raise McpError(f"the MCP server {self.settings.name!r} is not connected", server=self.settings.name)
        return self._link

    async def _connected(self) -> Link:
        settings = self.settings
        if settings.is_remote:
            return await self._reached()
        key = repr((settings.command, settings.args))
        mode = self._eras.get(key, settings.protocol)
        try:
            return await self._linked("stdio", mode)
        except McpError as error:
            if mode != "auto" or not error.is_lost or not self._may_know_older:
                raise
        # Some servers end when they are asked for the newer protocol, which one that did not read it was not.
        link = await self._linked("stdio", "legacy")
        self._eras[key] = "legacy"
        return link

    async def _reached(self) -> Link:
        settings = self.settings
        if settings.transport == "sse":
            return await self._linked("sse", "legacy")
        try:
            return await self._linked("http", settings.protocol)
        except McpError as error:
            if settings.transport != "auto" or error.status not in (400, 404, 405, 406):
                raise
            first = error
        try:
            return await self._linked("sse", "legacy")
        except McpError:
            raise first from None

    async def _linked(self, transport: str, mode: str) -> Link:
        link = Link(self.settings, transport=transport, mode=mode, on_log=self._on_log)
        try:
            await link.open()
        except McpError:
            raise
        except Exception as error:
            self._may_know_older = link.process is None or link.process.has_read
            raise self._failures.of_start(link, error) from error
        return link

    async def _page(self, cursor: str | None) -> Page:
        try:
            return await self._opened.client.list_tools(cursor=cursor)
        except MCPError as error:
            if cursor is not None and error.code == CURSOR_REFUSED:
                raise CursorRefusedError(error.message) from error
            raise


async def _within(limit_s: float, call: asyncio.Future[T], name: str) -> T:
    """What the call gives. Raises TimeoutError at the limit, also where the call does not let itself be cancelled."""
    try:
        done, _ = await asyncio.wait((call,), timeout=limit_s)
    except asyncio.CancelledError:
        give_up(call, f"the call of {name}")
        await asyncio.wait((call,), timeout=_TELL_S)
        raise
    if not done:
        give_up(call, f"the call of {name}")
        raise TimeoutError
    if call.cancelled():
        raise RuntimeError("the call was cancelled from within")
    return call.result()


def _progress(on_progress: OnText | None) -> Any:
    if on_progress is None:
        return None

    async def told(progress: float, total: float | None, message: str | None) -> None:
        amount = f"{progress:g}" if total is None else f"{progress:g}/{total:g}"
        on_progress(f"{amount} {message}" if message else amount)

    return told
