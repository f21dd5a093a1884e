"""A scripted HTTP server on loopback: each request takes the next answer, written byte by byte as the script says.

Waiting is done with events, never with sleeps.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any


class Drop:
    """Closes the connection here, without an end."""


class Hang:
    """Says nothing more until the client leaves."""


DROP = Drop()
HANG = Hang()
Step = bytes | asyncio.Event | Drop | Hang


@dataclass
class Answer:
    """One answer. ``steps`` are written in order; an event is waited for. Without a head nothing is sent at all."""

    steps: tuple[Step, ...] = ()
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    has_head: bool = True


@dataclass
class Request:
    """What the client sent."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


def json_answer(value: Any, status: int = 200, **headers: str) -> Answer:
    told = {name.replace("_", "-"): text for name, text in headers.items()}
    return Answer((json.dumps(value).encode(),), status, {"content-type": "application/json", **told})


def raw_answer(body: bytes, content_type: str = "text/html", status: int = 200) -> Answer:
    return Answer((body,), status, {"content-type": content_type})


def stream_answer(steps: Iterable[Step], content_type: str = "text/event-stream") -> Answer:
    return Answer(tuple(steps), headers={"content-type": content_type})


def dropped() -> Answer:
    return Answer((DROP,), has_head=False)


def silent() -> Answer:
    return Answer((HANG,), has_head=False)


class FakeServer:
    """``async with FakeServer(answers) as server``. After the last answer it says 500 with a word that tests see."""

    def __init__(self, *answers: Answer, tls: ssl.SSLContext | None = None) -> None:
        self.answers = list(answers)
        self._tls = tls
        self.requests: list[Request] = []
        self.connections = 0
        self.received = asyncio.Event()
        self.client_left = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> FakeServer:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=1 << 24, ssl=self._tls)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def url(self) -> str:
        host, port = self._server.sockets[0].getsockname()[:2]
        return f"{'http' if self._tls is None else 'https'}://{host}:{port}"

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        try:
            while (request := await _read_request(reader)) is not None:
                self.requests.append(request)
                self.received.set()
                answer = self.answers.pop(0) if self.answers else json_answer({"error": "no answer is left"}, 500)
                if not await self._write(answer, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            self.client_left.set()
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _write(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Whether the connection can go on."""
        is_chunked = len(answer.steps) != 1 or not isinstance(answer.steps[0], bytes)
        if answer.has_head:
            writer.write(_head(answer, is_chunked))
        for step in answer.steps:
            match step:
                case bytes():
                    writer.write(b"%x\r\n%b\r\n" % (len(step), step) if is_chunked else step)
                    await writer.drain()
                case asyncio.Event():
                    await step.wait()
                case Drop():
                    return False
                case Hang():
                    await reader.read(1)
                    self.client_left.set()
                    return False
        if is_chunked:
            writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True


def _head(answer: Answer, is_chunked: bool) -> bytes:
    length = {} if is_chunked else {"content-length": str(sum(len(s) for s in answer.steps if isinstance(s, bytes)))}
    headers: Mapping[str, str] = {**({"transfer-encoding": "chunked"} if is_chunked else length), **answer.headers}
    lines = [f"HTTP/1.1 {answer.status} Said", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    return "\r\n".join(lines).encode()


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode().split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.split(": ", 1) for line in lines if line)
    headers = {name.lower(): value for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, body)
