"""An OpenAI-compatible chat endpoint that answers at once, so that only the client's work is measured.

    python benchmarks/instant_server.py     prints "PORT n" and serves on 127.0.0.1 until it is killed

It answers ``The answer is N.`` to a user message that holds ``item N``. A model named ``chain-N`` calls the tool
``get_weather`` N times, once in each reply, before it answers; ``hang`` does not answer, or breaks its stream off.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

ITEM = re.compile(rb"item (\d+)")
CHAIN = re.compile(rb'"model":\s*"chain-(\d+)"')
HANG = re.compile(rb'"model":\s*"hang"')
STREAM = re.compile(rb'"stream":\s*true')
RESULT = re.compile(rb'"role":\s*"tool"')
USAGE = {"prompt_tokens": 20, "completion_tokens": 6, "total_tokens": 26}
LABELS = {"id": "chatcmpl-1", "created": 1_767_225_600, "model": "instant"}


def reply(body: bytes) -> bytes:
    """The HTTP response to one request body; what there is of it where it never ends."""
    is_hanging, is_streamed = HANG.search(body) is not None, STREAM.search(body) is not None
    if is_hanging and not is_streamed:
        return b""
    message = next_message(body)
    if not is_streamed:
        reason = "tool_calls" if "tool_calls" in message else "stop"
        choice = {"index": 0, "finish_reason": reason, "message": message}
        payload = json.dumps({**LABELS, "object": "chat.completion", "choices": [choice], "usage": USAGE}).encode()
        return head("application/json", f"content-length: {len(payload)}") + payload
    frames = list(chunks(message))
    if is_hanging:
        return head("text/event-stream", "transfer-encoding: chunked") + framed(frames[:2])
    return head("text/event-stream", "transfer-encoding: chunked") + framed([*frames, "[DONE]"]) + b"0\r\n\r\n"


def next_message(body: bytes) -> dict[str, Any]:
    """The assistant's message: the next call of a chain, or an answer."""
    chain = CHAIN.search(body)
    if chain is not None:
        done = len(RESULT.findall(body))
        if done < int(chain.group(1)):
            function = {"name": "get_weather", "arguments": '{"city": "Bangkok"}'}
            call = {"id": f"call_{done}", "type": "function", "function": function}
            return {"role": "assistant", "content": None, "tool_calls": [call]}
        return {"role": "assistant", "content": "It is 22C in Bangkok."}
    numbers = ITEM.findall(body)
    return {"role": "assistant", "content": f"The answer is {int(numbers[-1]) if numbers else 0}."}


def chunks(message: dict[str, Any]) -> Iterator[str]:
    """The message in pieces as a stream carries them, and the usage."""
    yield chunk({"role": "assistant", "content": ""})
    for word in (message["content"] or "").split(" "):
        if word:
            yield chunk({"content": f"{word} "})
    for index, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        yield chunk({"tool_calls": [{**call, "index": index, "function": {"name": function["name"], "arguments": ""}}]})
        for at in range(0, len(function["arguments"]), 8):
            piece = {"arguments": function["arguments"][at : at + 8]}
            yield chunk({"tool_calls": [{"index": index, "function": piece}]})
    yield chunk({}, "tool_calls" if "tool_calls" in message else "stop")
    yield json.dumps({**LABELS, "object": "chat.completion.chunk", "choices": [], "usage": USAGE})


def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> str:
    """One piece of a stream."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return json.dumps({**LABELS, "object": "chat.completion.chunk", "choices": [choice]})


def head(content_type: str, length: str) -> bytes:
    """The response before its body."""
    return f"HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\n{length}\r\n\r\n".encode()


def framed(frames: list[str]) -> bytes:
    """Server-sent events, each in an HTTP chunk of its own."""
    events = [f"data: {frame}\n\n".encode() for frame in frames]
    return b"".join(b"%x\r\n%s\r\n" % (len(event), event) for event in events)


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
