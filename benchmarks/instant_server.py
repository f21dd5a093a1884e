"""An OpenAI-compatible chat endpoint that answers at once, so that only the client's work is measured.

    python benchmarks/instant_server.py     prints "PORT n" and serves on 127.0.0.1 until it is killed

It answers ``The answer is N.`` to a user message that holds ``item N``.
"""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

ITEM = re.compile(rb"item (\d+)")


def reply(body: bytes) -> bytes:
    """The HTTP response to one request body."""
    numbers = ITEM.findall(body)
    answer = f"The answer is {int(numbers[-1]) if numbers else 0}."
    message: dict[str, Any] = {"role": "assistant", "content": answer}
    payload = json.dumps(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_767_225_600,
            "model": "instant",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
            "usage": {"prompt_tokens": 20, "completion_tokens": 6, "total_tokens": 26},
        }
    ).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(payload)}\r\n\r\n"
    return head.encode() + payload


class Connection(asyncio.Protocol):
    """One keep-alive connection; requests may arrive in any cut."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remembers where to write."""
        self.transport = transport
        self.waiting = b""

    def data_received(self, data: bytes) -> None:
        """Answers every request that is complete."""
        self.waiting += data
        while (end := self.waiting.find(b"\r\n\r\n")) >= 0:
            found = re.search(rb"content-length:\s*(\d+)", self.waiting[:end], re.IGNORECASE)
            stop = end + 4 + (int(found.group(1)) if found else 0)
            if len(self.waiting) < stop:
                return
            body, self.waiting = self.waiting[end + 4 : stop], self.waiting[stop:]
            assert isinstance(self.transport, asyncio.WriteTransport)
            self.transport.write(reply(body))


async def serve() -> None:
    """Listens on a free port until the process ends."""
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, backlog=1024)
    print("PORT", server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve())
