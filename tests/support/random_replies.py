"""Replies that no server should give: right ones with something changed, and plain noise. A number makes each again."""

from __future__ import annotations

import json
import random
from typing import Any

from tests.support.wires import WIRES, Said

FULL = Said(
    "<think>a</think>Grüße <tool_call>x",
    calls=(("c1", "get_weather", '{"city": "東京"}'), ("c2", "look", "{}")),
    thought="hm",
)
SPOKEN = ("openai", "openai-responses", "anthropic", "ollama")
VALUES: list[Any] = [
    *(None, True, 0, -1, 1.5, 1e300, 10**30, "", "x", "stop", "length", "\ud800", "\ud83d", "\ude00", "\x00", "\x1b["),
    *([], {}, [None], ["a"], [[]], {"a": 1}, {"type": []}, {"type": "tool_call"}, {"function": {"name": "look"}}),
    *("<think>", "</think>", "<tool_call>", "</tool_call>", '{"name": "look", "arguments": {}}', "[TOOL_CALLS]look{"),
    *("<function=look>", "```json\n{", "```", "{", '{"city": "Bang', "null", "{'a': True,}", '{}""', "[1]", '"{}"'),
]
KEYS = [
    *("content", "text", "delta", "index", "id", "name", "type", "error", "message", "arguments", "choices", "usage"),
    *("tool_calls", "function", "function_call", "finish_reason", "stop_reason", "reasoning", "reasoning_content"),
    *("output", "input", "status", "signature", "data", "refusal", "candidates", "parts", "thinking", "done", "code"),
    *("reasoning_details", "encrypted_content", "images", "source", "prompt_tokens", "output_index", "item", "call_id"),
]
NOISE = [
    *(b"data: ", b"data:", b"event: x\n", b"\n", b"\n\n", b"\r\n", b"\r", b": x\n", b"[DONE]", b"data: [DONE]\n\n"),
    *(b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\x00", b"null", b"{", b'"}', b"[", b"<html>", b"0", b"{}", b"[]"),
    *(b'{"choices": [{}]}', b'{"choices": [{"delta": {"content": "<think>"}}]}', b'{"type": "message_stop"}'),
]


def random_reply(chance: random.Random) -> Any:
    """A whole reply as JSON data, or as text that may be none."""
    kind = chance.random()
    reply = changed(WIRES[chance.choice(SPOKEN)].whole(FULL), chance) if kind < 0.6 else _anything(chance, depth=6)
    if kind > 0.9:
        text = json.dumps(reply)
        return text[: chance.randrange(len(text) + 1)] if chance.random() < 0.5 else text.encode()
    return reply


def random_stream(chance: random.Random) -> tuple[str, bytes]:
    """The name of a wire, and bytes that came over it."""
    wire = chance.choice(SPOKEN)
    if chance.random() < 0.25:
        return wire, b"".join(_noise(wire, chance) for _ in range(chance.randrange(15)))
    events: list[bytes] = []
    for event in WIRES[wire].events(FULL):
        fate = chance.random()
        if fate < 0.03:
            continue
        told = _changed_event(event, chance) if fate < 0.6 else event
        events += [told[: chance.randrange(len(told))] if fate > 0.98 else told] * (2 if 0.03 < fate < 0.05 else 1)
    if chance.random() < 0.05:
        chance.shuffle(events)
    return wire, b"".join(events)


def random_cut(data: bytes, chance: random.Random) -> list[bytes]:
    """The bytes in up to seven pieces."""
    cuts = sorted(chance.randrange(len(data) + 1) for _ in range(chance.randrange(7)))
    return [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


def changed(value: Any, chance: random.Random) -> Any:
    """The value with something lost, doubled, renamed, cut or replaced here and there."""
    if chance.random() < 0.06:
        return chance.choice(VALUES)
    match value:
        case dict():
            pairs = [(key, changed(item, chance)) for key, item in value.items() if chance.random() > 0.03]
            return {(chance.choice(KEYS) if chance.random() < 0.02 else key): item for key, item in pairs}
        case list():
            items = [changed(item, chance) for item in value]
            if items and chance.random() < 0.05:
                items.append(chance.choice(items))
            if chance.random() < 0.02:
                chance.shuffle(items)
            return items
        case str() if chance.random() < 0.05:
            tail = chance.choice(["<think>", "\ud83d", "}", "{", '"', "</tool_call>"])
            return chance.choice([value * 2, value[: len(value) // 2], value + tail])
        case _:
            return value


def _anything(chance: random.Random, depth: int) -> Any:
    kind = chance.random()
    if depth == 0 or kind < 0.3:
        return chance.choice(VALUES)
    if kind < 0.5:
        return [_anything(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {chance.choice(KEYS): _anything(chance, depth - 1) for _ in range(chance.randrange(6))}


def _noise(wire: str, chance: random.Random) -> bytes:
    kind = chance.random()
    if kind < 0.3:
        return chance.randbytes(chance.randrange(12))
    return chance.choice(NOISE if kind < 0.7 else WIRES[wire].events(FULL))


def _changed_event(event: bytes, chance: random.Random) -> bytes:
    head, mark, body = event.rpartition(b"data: ")
    try:
        value = json.loads(body)
    except ValueError:
        return event
    return head + mark + json.dumps(changed(value, chance)).encode() + (b"\n\n" if mark else b"\n")
