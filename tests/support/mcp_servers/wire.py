"""The well-behaved half of every server here. A server is a subclass that does one thing badly."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from typing import Any

Message = dict[str, Any]
NOTHING: Message = {"type": "object", "properties": {}}


class RefusedError(Exception):
    """Answered as a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        self.error = {"code": code, "message": message} | ({} if data is None else {"data": data})


def tool(name: str, schema: Any = NOTHING, **more: Any) -> Message:
    return {"name": name, "description": f"Does {name}.", "inputSchema": schema, **more}


def text(*texts: str, **more: Any) -> Message:
    return {"content": [{"type": "text", "text": each} for each in texts], **more}


class Server:
    """Speaks the handshake of 2025-06-18 and lists one tool that echoes its arguments."""

    protocol = "2025-06-18"
    tells_changes = False
    tools: tuple[Any, ...] = (tool("echo"),)

    def run(self) -> None:
        """Answers until standard input ends."""
        note_start()
        for line in sys.stdin.buffer:
            self.take(json.loads(line))

    def take(self, message: Message) -> None:
        if "method" not in message:
            self.answered(message)
        elif "id" in message:
            self.answer(message)
        else:
            self.noted(message)

    def answer(self, message: Message) -> None:
        try:
            result = self.handle(message["method"], message.get("params") or {}, message["id"])
        except RefusedError as refused:
            self.send({"id": message["id"], "error": refused.error})
            return
        if result is not None:
            self.send({"id": message["id"], "result": result})

    def handle(self, method: str, params: Message, request_id: Any) -> Message | None:
        """The result of a request; None says nothing at all."""
        match method:
            case "server/discover":
                return self.discover()
            case "initialize":
                return self.initialize()
            case "tools/list":
                return self.list_tools(params.get("cursor"))
            case "tools/call":
                return self.call(params["name"], params.get("arguments") or {}, request_id, params)
            case "ping":
                return {}
        raise RefusedError(-32601, f"Method not found: {method}")

    def discover(self) -> Message | None:
        raise RefusedError(-32601, "Method not found: server/discover")

    def initialize(self) -> Message | None:
        return {
            "protocolVersion": self.protocol,
            "capabilities": self.capabilities(),
            "serverInfo": {"name": type(self).__name__, "version": "1"},
        }

    def capabilities(self) -> Message:
        return {"tools": {"listChanged": True} if self.tells_changes else {}}

    def list_tools(self, _cursor: str | None) -> Message | None:
        return {"tools": self.tools}

    def call(self, name: str, arguments: Message, _request_id: Any, _params: Message) -> Message | None:
        return text(f"{name} got {json.dumps(arguments, sort_keys=True)}")

    def answered(self, message: Message) -> None:
        """The client's answer to a request of ours."""

    def noted(self, message: Message) -> None:
        """A notification of the client."""

    def send(self, message: Message) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def write(self, raw: bytes) -> None:
        sys.stdout.buffer.write(raw)
        sys.stdout.buffer.flush()


class Modern(Server):
    """Speaks 2026-07-28: no handshake, every result says that it is complete."""

    protocol = "2026-07-28"

    def discover(self) -> Message | None:
        return {"supportedVersions": [self.protocol], "capabilities": self.capabilities()}

    def initialize(self) -> Message | None:
        raise RefusedError(-32601, "Method not found: initialize")

    def send(self, message: Message) -> None:
        if "result" in message:
            message["result"] = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private", **message["result"]}
        super().send(message)


def note_start() -> None:
    """Appends this process's id to the file that STARTS names."""
    path = os.environ.get("STARTS")
    if path is not None:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(file, b"%d\n" % os.getpid())
        os.close(file)


def main(servers: Mapping[str, type[Server]]) -> None:
    servers[sys.argv[1]]().run()
