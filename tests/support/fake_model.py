"""A model on loopback, in a thread, that does what the user says: ``call NAME {json}`` on a line of its own is a call.

The calls come one in each reply. Then it answers with the results of all of them, one below the other.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = dict[str, Any]
USAGE = {"prompt_tokens": 20, "completion_tokens": 6, "total_tokens": 26}
LABELS = {"id": "chatcmpl-1", "created": 1_767_225_600, "model": "obedient"}


class FakeModel:
    """``url`` is the endpoint; ``requests`` has what it was asked, in order."""

    def __init__(self) -> None:
        self.requests: list[Body] = []
        self._news = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": self}))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def offered(self) -> list[str]:
        """The names of the tools in the last request."""
        return [tool["function"]["name"] for tool in self.requests[-1].get("tools", [])]

    def note(self, body: Body) -> None:
        with self._news:
            self.requests.append(body)
            self._news.notify_all()

    def wait_for_requests(self, number: int) -> None:
        """Returns when it was asked so often."""
        with self._news:
            assert self._news.wait_for(lambda: len(self.requests) >= number, timeout=60)

    def start(self) -> None:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def fake_model() -> Iterator[FakeModel]:
    """A model for the time of the block."""
    model = FakeModel()
    model.start()
    try:
        yield model
    finally:
        model.stop()


def reply_to(body: Body) -> Body:
    """The assistant's message."""
    messages = body["messages"]
    asked = max(at for at, message in enumerate(messages) if message["role"] == "user" and _calls_in(message))
    calls = _calls_in(messages[asked])
    results = [_text(message) for message in messages[asked:] if message["role"] == "tool"]
    if len(results) < len(calls):
        name, arguments = calls[len(results)]
        call = {"id": f"call_{len(results)}", "type": "function", "function": {"name": name, "arguments": arguments}}
        return {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"role": "assistant", "content": "\n".join(results)}


def _calls_in(message: Body) -> list[tuple[str, str]]:
    lines = [line.split(" ", 2) for line in _text(message).splitlines() if line.startswith("call ")]
    return [(name, rest[0] if rest else "{}") for _, name, *rest in lines]


def _text(message: Body) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)


class _Handler(BaseHTTPRequestHandler):
    model: FakeModel
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.model.note(body)
        message = reply_to(body)
        reason = "tool_calls" if "tool_calls" in message else "stop"
        if body.get("stream"):
            for at, call in enumerate(message.get("tool_calls", [])):
                call["index"] = at
            frames = [
                {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
                {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
                {"choices": [], "usage": USAGE},
            ]
            told = [json.dumps({**LABELS, "object": "chat.completion.chunk", **frame}) for frame in frames]
            self._say("text/event-stream", "".join(f"data: {frame}\n\n" for frame in [*told, "[DONE]"]))
        else:
            choice = {"index": 0, "finish_reason": reason, "message": message}
            whole = {**LABELS, "object": "chat.completion", "choices": [choice], "usage": USAGE}
            self._say("application/json", json.dumps(whole))

    def log_message(self, format: str, *args: Any) -> None:
        """Keeps quiet."""

    def _say(self, content_type: str, text: str) -> None:
        raw = text.encode()
        self.send_response(200)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)
