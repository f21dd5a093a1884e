"""A server over the time of a run: started when needed, started again when it died, asked by many at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

from seatrial.core.tool import ToolContext
from seatrial.errors import McpError
from seatrial.plugins import Registry
from seatrial.tools.mcp.remote import RemoteResult, RemoteTool
from seatrial.tools.mcp.settings import McpSettings

if TYPE_CHECKING:
    from seatrial.tools.mcp.connection import McpConnection

MAX_RESTARTS = 5
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 8.0
SLOW_START_S = 5.0

T = TypeVar("T")
OnText = Callable[[str], None]

# The protocol library takes more than a second to import, so it is left until a server is started.
_CONNECTION: Registry[type[McpConnection]] = Registry(
    "connection", "seatrial.mcp_connections", {"mcp": "seatrial.tools.mcp.connection:McpConnection"}
)


class McpServer:
    """One server of an agent, with at most one connection at a time.

    A call that finds the connection gone makes a new one, and shares it with the calls that wait for the same. After
    `MAX_RESTARTS` without an answer in between it is given up. A call that may have run is never repeated.

    It lives in the event loop in which it was started; calls from others are carried there, and when that loop is
    gone it starts again in the caller's.
    """

    def __init__(self, settings: McpSettings, eras: dict[str, str] | None = None) -> None:
        self.settings = settings
        self.tools: tuple[RemoteTool, ...] = ()
        self.eras = {} if eras is None else eras
        self._life: _Life | None = None
        self._users = 0

    @property
    def name(self) -> str:
        """The entry's name."""
        return self.settings.name

    @property
    def warnings(self) -> tuple[str, ...]:
        """What there is to say about the last listing."""
        connection = None if self._life is None else self._life.connection
        return () if connection is None else tuple(f"MCP server {self.name}: {text}" for text in connection.warnings)

    async def start(self, on_slow: OnText | None = None) -> None:
        """Starts it, unless it runs. ``on_slow`` is told when that takes long. Raises `McpError`."""
        notice = None
        if on_slow is not None:
            text = f"the MCP server {self.name!r} is still starting{self._may_download()}"
            notice = asyncio.get_running_loop().call_later(SLOW_START_S, on_slow, text)
        self._users += 1
        try:
            await self._here(_Life.connected)
        except BaseException:
            self._users -= 1
            raise
        finally:
            if notice is not None:
                notice.cancel()

    @property
    def is_running(self) -> bool:
        """Whether it is connected."""
        life = self._life
        return life is not None and life.connection is not None and not life.is_over and life.connection.is_open

    @property
    def has_listed(self) -> bool:
        """Whether it has told its tools."""
        return self._life is not None and self._life.connection is not None and not self._life.has_failed

    async def stop(self, *, at_once: bool = False) -> None:
        """Stops it when everyone who started it is done with it; ``at_once`` without giving it time to end itself."""
        self._users = max(self._users - 1, 0)
        life = self._life
        if life is None or self._users:
            return
        self._life = None
        if life.is_here:
            await life.stop(at_once=at_once)
        elif not life.is_over:
            ending = asyncio.run_coroutine_threadsafe(life.stop(at_once=at_once), life.loop)
            await asyncio.wrap_future(ending)

    async def refresh(self) -> tuple[RemoteTool, ...]:
        """Its tools now, listed again only when it said that they changed. Raises `McpError`."""
        return await self._here(_Life.refreshed)

    async def call(self, tool: RemoteTool, arguments: dict[str, Any], context: ToolContext) -> RemoteResult:
        """The answer to a call. Raises `McpError`, and says what the server says meanwhile to ``context``."""
        return await self._here(lambda life: life.call(tool, arguments, context))

    async def _here(self, work: Callable[[_Life], Coroutine[Any, Any, T]]) -> T:
        """Runs ``work`` in the event loop that the connection lives in."""
        life = self._life
        if life is None or life.is_over:
            life = self._life = _Life(self)
        if life.is_here:
            return await work(life)
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(life), life.loop))

    def _may_download(self) -> str:
        is_runner = self.settings.command.rpartition("/")[2] in ("npx", "uvx")
        return f" ({self.settings.command} may be downloading it)" if is_runner else ""


class _Life:
    """A server in one event loop."""

    def __init__(self, server: McpServer) -> None:
        self.loop = asyncio.get_running_loop()
        self.connection: McpConnection | None = None
        self._server = server
        self._settings = server.settings
        self._connecting = asyncio.Lock()
        limit = server.settings.max_concurrency
        self._turn = nullcontext() if limit is None else asyncio.Semaphore(limit)
        self._running: set[ToolContext] = set()
        self._restarts = 0
        self._last_failure = ""
        self._start_error: McpError | None = None

    @property
    def is_here(self) -> bool:
        """Whether the caller runs in this event loop."""
        return self.loop is asyncio.get_running_loop()

    @property
    def is_over(self) -> bool:
        """Whether the event loop is gone."""
        return self.loop.is_closed() or not (self.loop.is_running() or self.is_here)

    async def connected(self) -> McpConnection:
        """The open connection, a new one where it is gone."""
        connection = self.connection
        if connection is not None and connection.is_open:
            return connection
        async with self._connecting:
            if self.connection is not None and self.connection.is_open:
                return self.connection
            return await self._connect()

    @property
    def has_failed(self) -> bool:
        """Whether it could not be started."""
        return self._start_error is not None

    async def stop(self, *, at_once: bool) -> None:
        """Closes the connection."""
        async with self._connecting:
            if self.connection is not None:
                await self.connection.stop(at_once=at_once)

    async def refreshed(self) -> tuple[RemoteTool, ...]:
        """The tools, listed again where they changed. A dead server keeps its tools: the next call starts it again."""
        connection = self.connection
        if self._start_error is not None:
            raise self._start_error
        if connection is None:
            connection = await self.connected()
        elif connection.is_open and connection.has_new_tools:
            await connection.relist()
        self._server.tools = connection.tools
        return connection.tools

    async def call(self, tool: RemoteTool, arguments: dict[str, Any], context: ToolContext) -> RemoteResult:
        """The answer, after a second try where the first surely did not run."""
        async with self._turn:
            self._running.add(context)
            try:
                return await self._called(tool, arguments, context)
            except McpError as error:
                if not error.did_not_run:
                    raise
                await self._before_second_try(error)
                return await self._called(tool, arguments, context)
            finally:
                self._running.discard(context)

    async def _called(self, tool: RemoteTool, arguments: dict[str, Any], context: ToolContext) -> RemoteResult:
        connection = await self.connected()
        try:
            result = await connection.call(tool.name, arguments, on_progress=context.update)
        except McpError as error:
            if error.is_lost:
                self._last_failure = error.message
                await connection.stop()
            elif error.code is not None:
                self._restarts = 0
            raise
        self._restarts = 0
        return result

    async def _before_second_try(self, error: McpError) -> None:
        if error.is_lost:
            return
        pause_s = FIRST_PAUSE_S if error.retry_after_s is None else error.retry_after_s
        if pause_s > self._settings.call_timeout_s:
            raise error
        await asyncio.sleep(pause_s)

    async def _connect(self) -> McpConnection:
        if self.connection is not None:
            await self._pause()
            await self.connection.stop()
        connection = _CONNECTION.load("mcp")(self._settings, on_log=self._log, eras=self._server.eras)
        try:
            await connection.start()
        except McpError as error:
            self._last_failure = error.message
            if self.connection is None:
                self.connection, self._start_error = connection, error
            raise
        self.connection, self._start_error = connection, None
        self._server.tools = connection.tools
        return connection

    async def _pause(self) -> None:
        """Waits before a restart, longer each time. Raises `McpError` when there were enough of them."""
        if self._restarts >= MAX_RESTARTS:
            raise McpError(
                f"the MCP server {self._settings.name!r} is unavailable: it was started {MAX_RESTARTS} times more and "
                f"answered no call; last: {self._last_failure}",
                server=self._settings.name,
            )
        if self._restarts:
            await asyncio.sleep(min(FIRST_PAUSE_S * 2.0 ** (self._restarts - 1), LONGEST_PAUSE_S))
        self._restarts += 1

    def _log(self, text: str) -> None:
        for context in tuple(self._running):
            context.update(text)
