"""A server that turns to its client in the middle of a call."""

from __future__ import annotations

import json
from typing import Any

from wire import Message, Server, main, text, tool

REQUESTS: dict[str, tuple[str, Message]] = {
    "sampling": (
        "sampling/createMessage",
        {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 5},
    ),
    "elicitation": (
        "elicitation/create",
        {"message": "Your name?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}},
    ),
    "roots": ("roots/list", {}),
    "ping": ("ping", {}),
    "unheard_of": ("client/unheardOf", {}),
}


class Asks(Server):
    """Each tool of `REQUESTS` sends that request and gives what the client answered."""

    tools = (*(tool(name) for name in REQUESTS), tool("progress"), tool("logs"), tool("capabilities"))

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}
        self.client: Message = {}

    def capabilities(self) -> Message:
        return {"tools": {}, "logging": {}}

    def handle(self, method: str, params: Message, request_id: Any) -> Message | None:
        if method == "initialize":
            self.client = params
        if method == "logging/setLevel":
            return {}
        return super().handle(method, params, request_id)

    def call(self, name: str, _arguments: Message, request_id: Any, params: Message) -> Message | None:
        match name:
            case "progress":
                self._tell_progress(params)
            case "logs":
                self._log()
            case "capabilities":
                return text(json.dumps(self.client["capabilities"]))
            case _:
                method, asked = REQUESTS[name]
                own_id = f"from-server-{request_id}"
                self.asked[own_id] = request_id
                self.send({"id": own_id, "method": method, "params": asked})
                return None
        return text("done")

    def answered(self, message: Message) -> None:
        request_id = self.asked.pop(message["id"])
        answer = {key: message[key] for key in ("result", "error") if key in message}
        self.send({"id": request_id, "result": text(json.dumps(answer))})

    def _tell_progress(self, params: Message) -> None:
        token = (params.get("_meta") or {}).get("progressToken")
        if token is None:
            return
        for step in range(1, 5):
            told = {"progressToken": token, "progress": step, "total": 4, "message": f"step {step}"}
            self.send({"method": "notifications/progress", "params": told})

    def _log(self) -> None:
        for level in ("debug", "info", "warning", "error"):
            told = {"level": level, "logger": "asks", "data": {"text": f"a word of {level}"}}
            self.send({"method": "notifications/message", "params": told})


if __name__ == "__main__":
    main({"asks": Asks})
