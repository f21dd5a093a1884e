"""A model server on loopback for judges: what it says is made from what it is asked, in a thread of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

Answer = Callable[[dict[str, Any]], str]


@contextmanager
def judge_server(answer: Answer) -> Iterator[str]:
    """The base URL of a server that answers chat completions with ``answer`` of the request, as 100 + 10 tokens."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            message = {"role": "assistant", "content": answer(request)}
            reply = {
                "id": "1",
                "object": "chat.completion",
                "model": request["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
            }
            body = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def text_of(request: dict[str, Any]) -> str:
    """Everything that the judge was told."""
    return "\n".join(
        content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
        for content in (message.get("content") or "" for message in request["messages"])
    )


def verdict(score: object, reason: str = "because") -> str:
    return json.dumps({"reason": reason, "score": score})
