"""An MCP server over streamable HTTP and over SSE, in a thread, with faults to plant."""

from __future__ import annotations

import json
import queue
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any, Literal

Message = dict[str, Any]


@dataclass
class Fault:
    """What happens instead of an answer. ``on`` is a method of the protocol, or the HTTP verb GET, or * for all.

    A body of ``times`` answers is spoilt, then all is well again. With ``tool`` only that tool's calls are.
    """

    on: str = "*"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    action: Literal["answer", "drop", "drop_in_stream", "hang"] = "answer"
    times: int = 1_000_000
    tool: str | None = None


@dataclass(frozen=True)
class Seen:
    """One request."""

    verb: str
    path: str
    headers: dict[str, str]
    message: Message


class HttpMcpServer:
    """Lists ``echo`` and ``other``, and answers calls with their arguments, over streamable HTTP and SSE."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = list(faults)
        self.seen: list[Seen] = []
        self.sessions: set[str] = set()
        self.streams: dict[str, queue.Queue[Message | None]] = {}
        self.free = threading.Event()
        self._ids = count(1)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"mcp": self}))
        self._server.daemon_threads = True

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        return f"{self.base}/mcp"

    @property
    def sse_url(self) -> str:
        return f"{self.base}/sse"

    def calls(self, method: str) -> list[Message]:
        """The messages of this method, in their order."""
        return [seen.message for seen in self.seen if seen.message.get("method") == method]

    def forget_sessions(self) -> None:
        """As after a restart: every session that was open is unknown."""
        self.sessions.clear()

    def new_id(self) -> str:
        return f"id-{next(self._ids)}"

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        self.free.set()
        for stream in self.streams.values():
            stream.put(None)
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def http_server(*faults: Fault) -> Iterator[HttpMcpServer]:
    """A server for the time of the block."""
    server = HttpMcpServer(*faults)
    server.start()
    try:
        yield server
    finally:
        server.stop()


class _Handler(BaseHTTPRequestHandler):
    mcp: HttpMcpServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self._note(message)
        if self._spoil(message.get("method", ""), message):
            return
        if self.path.startswith("/messages/"):
            self._take_for_stream(message)
        elif self.path.partition("?")[0] == "/mcp":
            self._take(message)
        else:
            self._say(405 if self.path == "/sse" else 404)

    def do_GET(self) -> None:
        self._note({})
        if self._spoil("GET", {}):
            return
        if self.path == "/sse":
            self._stream()
        else:
            self._say(405)

    def do_DELETE(self) -> None:
        self._note({})
        self.mcp.sessions.discard(self.headers.get("mcp-session-id", ""))
        self._say(200)

    def log_message(self, format: str, *args: Any) -> None:
        """Keeps quiet."""

    def _note(self, message: Message) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.mcp.seen.append(Seen(self.command, self.path, headers, message))

    def _take(self, message: Message) -> None:
        session = self.headers.get("mcp-session-id")
        if message.get("method") == "initialize":
            session = self.mcp.new_id()
            self.mcp.sessions.add(session)
        elif session is not None and session not in self.mcp.sessions:
            self._say(404, json.dumps(_error(message.get("id"), -32001, "Session not found")).encode())
            return
        if "id" not in message or "method" not in message:
            self._say(202)
            return
        headers = {"content-type": "application/json"} | ({} if session is None else {"mcp-session-id": session})
        self._say(200, json.dumps(_answer(message)).encode(), headers)

    def _stream(self) -> None:
        name = self.mcp.new_id()
        stream = self.mcp.streams[name] = queue.Queue()
        self._start_stream()
        self._event("endpoint", f"/messages/{name}")
        while (message := stream.get()) is not None:
            self._event("message", json.dumps(message))
        self.close_connection = True

    def _take_for_stream(self, message: Message) -> None:
        self._say(202)
        if "id" in message and "method" in message:
            self.mcp.streams[self.path.rpartition("/")[2]].put(_answer(message))

    def _spoil(self, method: str, message: Message) -> bool:
        """Whether a fault took the place of the answer."""
        name = (message.get("params") or {}).get("name")
        for fault in self.mcp.faults:
            if fault.on in (method, "*") and fault.times > 0 and fault.tool in (None, name):
                fault.times -= 1
                self._commit(fault)
                return True
        return False

    def _commit(self, fault: Fault) -> None:
        match fault.action:
            case "answer":
                self._say(fault.status, fault.body, fault.headers)
                return
            case "hang":
                self.mcp.free.wait(60)
            case "drop_in_stream":
                self._start_stream()
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _say(self, status: int, body: bytes = b"", headers: Message | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _start_stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.flush()

    def _event(self, kind: str, data: str) -> None:
        self.wfile.write(f"event: {kind}\r\ndata: {data}\r\n\r\n".encode())
        self.wfile.flush()


def _answer(message: Message) -> Message:
    params = message.get("params") or {}
    match message["method"]:
        case "initialize":
            info = {"name": "over-http", "version": "1"}
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            schema = {"type": "object", "properties": {"word": {"type": "string"}}}
            result = {"tools": [{"name": name, "inputSchema": schema} for name in ("echo", "other")]}
        case "tools/call":
            told = json.dumps(params.get("arguments"), sort_keys=True)
            result = {"content": [{"type": "text", "text": f"{params['name']} {told}"}]}
        case "ping":
            result = {}
        case method:
            return _error(message["id"], -32601, f"Method not found: {method}")
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def _error(request_id: Any, code: int, text: str) -> Message:
    return {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": text}}
