"""The least that an agent with one tool is over aiohttp: the floor that the core is measured against."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Get the weather of a city.",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        },
    }
]
SYSTEM_PROMPT = "You are helpful."
QUESTION = "Weather in Bangkok?"


def get_weather(city: str) -> str:
    """Get the weather of a city."""
    return f"22C in {city}"


class BareAgent:
    """Posts, parses, calls, and posts again. Use it as a context."""

    def __init__(self, base_url: str, *, is_streamed: bool = False, in_threads: bool = False) -> None:
        self._url = f"{base_url}/chat/completions"
        self._in_threads = in_threads
        self._ask = self._streamed if is_streamed else self._whole

    async def __aenter__(self) -> BareAgent:
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=200))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def run(self, turns: int) -> str:
        """The answer after ``turns`` calls of the tool."""
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": QUESTION},
        ]
        while True:
            message = await self._ask({"model": f"chain-{turns}", "messages": messages, "tools": TOOLS})
            messages.append(message)
            if not message.get("tool_calls"):
                return str(message["content"])
            for call in message["tool_calls"]:
                arguments = json.loads(call["function"]["arguments"])
                in_thread = self._in_threads
                content = await asyncio.to_thread(get_weather, **arguments) if in_thread else get_weather(**arguments)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})

    async def _whole(self, body: dict[str, Any]) -> dict[str, Any]:
        async with self._session.post(self._url, json=body) as response:
            response.raise_for_status()
            message: dict[str, Any] = json.loads(await response.read())["choices"][0]["message"]
            return message

    async def _streamed(self, body: dict[str, Any]) -> dict[str, Any]:
        text = ""
        calls: dict[int, dict[str, Any]] = {}
        body |= {"stream": True, "stream_options": {"include_usage": True}}
        async with self._session.post(self._url, json=body) as response:
            response.raise_for_status()
            async for line in response.content:
                if not line.startswith(b"data: ") or line.startswith(b"data: [DONE]"):
                    continue
                for choice in json.loads(line[6:])["choices"]:
                    text += choice["delta"].get("content") or ""
                    for piece in choice["delta"].get("tool_calls") or ():
                        call = calls.setdefault(piece["index"], {"id": piece.get("id"), "name": "", "arguments": ""})
                        call["name"] += piece["function"].get("name", "")
                        call["arguments"] += piece["function"].get("arguments", "")
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if calls:
            message["tool_calls"] = [
                {
                    "id": call["id"],
                    "type": "function",
                    "function": {"name": call["name"], "arguments": call["arguments"]},
                }
                for call in calls.values()
            ]
        return message
