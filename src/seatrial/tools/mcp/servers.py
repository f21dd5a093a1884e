"""All servers of an agent: started side by side, shared by the test cases or made anew for each."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from seatrial.core.abort import AbortSignal
from seatrial.errors import McpError
from seatrial.tools.mcp.names import ToolNames
from seatrial.tools.mcp.server import McpServer, OnText
from seatrial.tools.mcp.settings import McpSettings
from seatrial.tools.mcp.source import McpSource

OnFailure = Callable[[McpError], None]


@dataclass(frozen=True, slots=True)
class McpPool:
    """The servers of one process: agents that describe the same server use the same one.

    ``eras`` remembers which servers take no newer protocol.
    """

    eras: dict[str, str] = field(default_factory=dict)
    servers: list[McpServer] = field(default_factory=list)

    def get(self, settings: McpSettings) -> McpServer:
        """The server of these settings."""
        for server in self.servers:
            if server.settings == settings:
                return server
        server = McpServer(settings, self.eras)
        self.servers.append(server)
        return server


@dataclass(frozen=True, slots=True)
class McpEntry:
    """An entry of ``tools:``: a server and phrases that should lead to its tools."""

    settings: McpSettings
    examples: tuple[str, ...] = ()


class McpServers:
    """The servers of one agent. ``taken`` are the names of its other tools.

    ``sources`` are the tools of all servers, for the loop; those of servers that every case has anew are in a trial's
    own sources.
    """

    def __init__(self, entries: Sequence[McpEntry], taken: Iterable[str] = (), pool: McpPool | None = None) -> None:
        self._entries = tuple(entries)
        self._pool = McpPool() if pool is None else pool
        self._names = ToolNames(taken)
        self._started: list[McpServer] = []
        self._starting: set[asyncio.Task[list[str]]] = set()
        self.sources = tuple(self._source(entry, self._pool.get(entry.settings)) for entry in self._entries)

    @property
    def aliases(self) -> Mapping[str, frozenset[str]]:
        """Names that people may write for the tools known so far, and what they are offered as; grows with them."""
        return self._names.aliases

    def may_have(self, name: str) -> bool:
        """Whether a server's `tools:` names it, by its own name or by one that the model may see."""
        return any(
            fnmatchcase(name, before + pattern)
            for settings in (one.settings for one in self._entries)
            for pattern in settings.allow or ()
            for before in ("", settings.prefix, f"{settings.name}_")
        )

    @property
    def are_all_listed(self) -> bool:
        """Whether every server has told its tools."""
        return all(source.server.has_listed for source in self.sources)

    @property
    def has_own_for_cases(self) -> bool:
        """Whether some of the servers are made anew for every case."""
        return any(entry.settings.is_per_case for entry in self._entries)

    async def start(
        self,
        *,
        with_those_per_case: bool = True,
        on_slow: OnText | None = None,
        on_failure: OnFailure | None = None,
    ) -> list[str]:
        """Starts the servers side by side; says what people should know of them. Raises `McpError`, nothing runs then.

        A server that is optional and does not start is a warning, and has no tools. ``on_failure`` is told of those
        that are not; then nothing is raised, and the others run.
        """
        sources = [source for source in self.sources if with_those_per_case or not source.server.settings.is_per_case]
        warnings = await self._start(sources, on_slow, on_failure)
        self._started += [source.server for source in sources]
        return warnings

    @asynccontextmanager
    async def for_trial(
        self, stop: AbortSignal, on_warning: OnText | None = None
    ) -> AsyncIterator[Sequence[McpSource]]:
        """The sources of one trial; servers of its own run as long. Raises `McpError`, `AbortedError`.

        ``on_warning`` is told what people should know of the servers that were started for it.
        """
        own = [
            self._source(entry, McpServer(entry.settings, self._pool.eras)) if entry.settings.is_per_case else shared
            for entry, shared in zip(self._entries, self.sources, strict=True)
        ]
        fresh = [source for source in own if source.server.settings.is_per_case]
        warnings = await stop.race(self._start(fresh, None))
        try:
            if on_warning is not None:
                for warning in warnings:
                    on_warning(warning)
            yield own
        finally:
            await _stop([source.server for source in fresh], at_once=stop.is_set)

    async def stop(self, *, at_once: bool = False) -> None:
        """Stops the servers, side by side; ``at_once`` without waiting for them to end by themselves.

        A start that is not finished is called off, and waited for: what it had started already is stopped by it.
        """
        if self._starting:
            for starting in self._starting:
                starting.cancel()
            await asyncio.wait(self._starting)
        started, self._started = self._started, []
        await _stop(started, at_once=at_once)

    def _source(self, entry: McpEntry, server: McpServer) -> McpSource:
        return McpSource(server, self._names, entry.examples)

    async def _start(
        self, sources: Sequence[McpSource], on_slow: OnText | None, on_failure: OnFailure | None = None
    ) -> list[str]:
        if not sources:
            return []
        starting = asyncio.ensure_future(self._start_all(sources, on_slow, on_failure))
        self._starting.add(starting)
        starting.add_done_callback(self._starting.discard)
        return await starting

    async def _start_all(
        self, sources: Sequence[McpSource], on_slow: OnText | None, on_failure: OnFailure | None
    ) -> list[str]:
        starts = {asyncio.ensure_future(source.server.start(on_slow)): source for source in sources}
        try:
            await asyncio.wait(starts)
        except asyncio.CancelledError:
            for start in starts:
                start.cancel()
            await asyncio.wait(starts)
            await _stop((source.server for start, source in starts.items() if _is_up(start)), at_once=True)
            raise
        fatal = [start for start, source in starts.items() if not _is_up(start) and not _may_fail(start, source)]
        if fatal and on_failure is None:
            await _stop(source.server for start, source in starts.items() if _is_up(start))
            fatal[0].result()
        for start in fatal:
            _tell(start, on_failure)
        self._names.add([source.wishes(source.taken(source.server.tools)) for source in sources])
        return [text for start, source in starts.items() if start not in fatal for text in _warnings(start, source)]


def _is_up(start: asyncio.Future[None]) -> bool:
    return not start.cancelled() and start.exception() is None


def _may_fail(start: asyncio.Future[None], source: McpSource) -> bool:
    return source.server.settings.is_optional and not start.cancelled() and isinstance(start.exception(), McpError)


def _tell(start: asyncio.Future[None], on_failure: OnFailure | None) -> None:
    """Says why it did not start. Raises what is no failure of a server."""
    try:
        start.result()
    except McpError as error:
        if on_failure is not None:
            on_failure(error)


def _warnings(start: asyncio.Future[None], source: McpSource) -> list[str]:
    error = start.exception()
    return source.warnings(source.server.tools) if error is None else [f"{error}; its tools are left out"]


async def _stop(servers: Iterable[McpServer], *, at_once: bool = False) -> None:
    await asyncio.gather(*(server.stop(at_once=at_once) for server in servers))
