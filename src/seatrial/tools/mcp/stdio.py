"""The transport to a server that is a child process: one JSON message a line, on its stdin and its stdout."""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType

from anyio import ClosedResourceError, EndOfStream
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCRequest
from pydantic import ValidationError

from seatrial.tools.mcp.lenient import typed
from seatrial.tools.mcp.mend import Mender
from seatrial.tools.mcp.process import ServerProcess
from seatrial.tools.mcp.wire import messages_in

_SHOWN_BYTES = 500


class StdioTransport:
    """Talks to a running process; sets ``is_over`` once that says nothing more."""

    def __init__(self, process: ServerProcess, encoding: str, is_over: asyncio.Event) -> None:
        self._process = process
        self._encoding = encoding
        self._is_over = is_over

    async def __aenter__(self) -> tuple[LineReader, LineWriter]:
        mender = Mender()
        return (
            LineReader(self._process, self._encoding, mender, self._is_over),
            LineWriter(self._process, self._encoding, mender),
        )

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()


class LineReader:
    """Messages from the process's stdout; lines that are none are kept with its last words."""

    def __init__(self, process: ServerProcess, encoding: str, mender: Mender, is_over: asyncio.Event) -> None:
        self._process = process
        self._encoding = encoding
        self._mender = mender
        self._is_over = is_over
        self._messages: deque[SessionMessage] = deque()

    async def receive(self) -> SessionMessage:
        """The next message; raises EndOfStream when there will be none."""
        while not self._messages:
            line = await self._process.line()
            if line is None:
                self._is_over.set()
                raise EndOfStream
            self._take(line)
        return self._messages.popleft()

    def __aiter__(self) -> LineReader:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        """Nothing to do: the process is ended by its owner."""

    async def __aenter__(self) -> LineReader:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()

    def _take(self, line: bytes) -> None:
        before = len(self._messages)
        for message in messages_in(line, self._encoding):
            try:
                self._messages.append(SessionMessage(typed(self._mender.mended(message))))
            except ValidationError:
                continue
        if len(self._messages) == before and line.strip():
            self._process.stderr.add("(stdout) " + line[:_SHOWN_BYTES].decode(self._encoding, "replace"))


class LineWriter:
    """Messages to the process's stdin."""

    def __init__(self, process: ServerProcess, encoding: str, mender: Mender) -> None:
        self._process = process
        self._encoding = encoding
        self._mender = mender

    async def send(self, item: SessionMessage, /) -> None:
        """Writes one message. Raises ClosedResourceError when the process is gone."""
        message = item.message
        if isinstance(message, JSONRPCRequest):
            self._mender.sent(message.id, message.method)
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
        try:
            await self._process.write((text + "\n").encode(self._encoding, "replace"))
        except (BrokenPipeError, ConnectionError):
            raise ClosedResourceError from None

    async def aclose(self) -> None:
        """Nothing to do: the process is ended by its owner."""

    async def __aenter__(self) -> LineWriter:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None
