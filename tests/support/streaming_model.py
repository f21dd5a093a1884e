"""A model on loopback whose answer comes when the test says so: each piece put into ``pieces`` is sent at once."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from time import perf_counter
from typing import Any

END = None
LABELS = {"id": "chatcmpl-1", "created": 1_767_225_600, "model": "patient", "object": "chat.completion.chunk"}
USAGE = {"prompt_tokens": 1200, "completion_tokens": 34, "total_tokens": 1234}


class StreamingModel:
    """``url`` is the endpoint; ``pieces`` are texts or whole deltas, ``END`` ends the answer."""

    def __init__(self) -> None:
        self.pieces: Queue[str | dict[str, Any] | None] = Queue()
        self.requests: list[Any] = []
        self.asked = threading.Event()
        self.left = threading.Event()
        self.sent_at = 0.0
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": self}))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def answer(self, *pieces: str | dict[str, Any]) -> None:
        """One whole answer."""
        for piece in (*pieces, END):
            self.pieces.put(piece)

    def say_until_the_client_left(self) -> None:
        """Goes on with the answer that is open until nobody hears it."""
        for _ in range(3000):
            if self.left.wait(0.01):
                break
            self.pieces.put("x" * 10_000)
        assert self.left.is_set()
        while not self.pieces.empty():
            self.pieces.get()

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        self.pieces.put(END)
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def streaming_model() -> Iterator[StreamingModel]:
    """A model for the time of the block."""
    model = StreamingModel()
    model.start()
    try:
        yield model
    finally:
        model.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that leaves is no news."""


class _Handler(BaseHTTPRequestHandler):
    model: StreamingModel
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.model.requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.model.asked.set()
        reason = "stop"
        try:
            while (piece := self.model.pieces.get()) is not END:
                delta = {"content": piece} if isinstance(piece, str) else piece
                reason = "tool_calls" if "tool_calls" in delta else reason
                self._frame({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
                self.model.sent_at = perf_counter()
            self._frame({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
            self._frame({"choices": [], "usage": USAGE})
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            self.model.left.set()
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Keeps quiet."""

    def _frame(self, frame: dict[str, Any]) -> None:
        self.wfile.write(f"data: {json.dumps({**LABELS, **frame})}\n\n".encode())
        self.wfile.flush()
