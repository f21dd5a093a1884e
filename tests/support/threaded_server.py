"""An HTTP server on loopback in a thread of its own, for code that blocks. Each request is answered by a function."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Asked:
    """What the client sent; header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


@dataclass(frozen=True)
class Reply:
    """What it gets. ``headers`` win over those that are made of the body."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def json_reply(value: Any, status: int = 200) -> Reply:
    return Reply(json.dumps(value).encode(), status)


@dataclass
class ThreadedServer:
    """The server as a test sees it: ``answer`` may be set at any time; the requests are kept."""

    url: str
    answer: Callable[[Asked], Reply] = lambda _asked: Reply(status=404)
    requests: list[Asked] = field(default_factory=list)


@contextmanager
def threaded_server() -> Iterator[ThreadedServer]:
    """The server for the time of the block."""

    class Handler(BaseHTTPRequestHandler):
        def respond(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            raw = self.rfile.read(int(headers.get("content-length", "0")))
            asked = Asked(self.command, self.path, headers, raw)
            server.requests.append(asked)
            reply = server.answer(asked)
            self.send_response(reply.status)
            for name, value in {"content-length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        def do_GET(self) -> None:
            self.respond()

        def do_POST(self) -> None:
            self.respond()

        def log_message(self, *_arguments: object) -> None:
            return

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = ThreadedServer(f"http://127.0.0.1:{http.server_port}")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
