"""One server with a tool for each shape that a result can have."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from wire import Message, RefusedError, Server, main, text, tool

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SOUND = b64encode(b"RIFF\x24\x00\x00\x00WAVEfmt ").decode()
SHAPE: Message = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}


def blocks(*content: Any, **more: Any) -> Message:
    return {"content": list(content), **more}


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


RESULTS: dict[str, Message] = {
    "image": blocks({"type": "text", "text": "a pixel"}, {"type": "image", "data": PIXEL, "mimeType": "image/png"}),
    "svg": blocks({"type": "image", "data": b64encode(b"<svg/>").decode(), "mimeType": "image/svg+xml"}),
    "image_without_type": blocks({"type": "text", "text": "kept"}, {"type": "image", "data": PIXEL}),
    "broken_image": blocks({"type": "image", "data": "no base64!", "mimeType": "image/png"}),
    "audio": blocks({"type": "audio", "data": SOUND, "mimeType": "audio/wav"}),
    "resource_text": blocks(
        {"type": "resource", "resource": {"uri": "note://1", "mimeType": "text/plain", "text": "the note"}}
    ),
    "resource_blob": blocks(
        {
            "type": "resource",
            "resource": {"uri": "file:///a.bin", "mimeType": "application/octet-stream", "blob": "AAEC"},
        }
    ),
    "link": blocks(
        {"type": "resource_link", "uri": "file:///report.pdf", "name": "report", "mimeType": "application/pdf"}
    ),
    "unknown_block": blocks({"type": "hologram", "data": "??"}, {"type": "text", "text": "kept"}),
    "not_a_block": blocks("just a string", {"type": "text", "text": "kept"}, None),
    "structured": blocks(structuredContent={"count": 3}),
    "both": blocks({"type": "text", "text": '{"count": 3}'}, structuredContent={"count": 3}),
    "mismatched": blocks({"type": "text", "text": "three"}, structuredContent={"count": "three"}),
    "promised_and_missing": blocks({"type": "text", "text": "no structure"}),
    "empty": blocks(),
    "empty_text": text(""),
    "empty_error": blocks(isError=True),
    "error": text("no such city: Atlantis", isError=True),
    "error_with_structure": text("failed", isError=True, structuredContent={"reason": "quota"}),
    "no_content": {},
    "content_is_text": {"content": "a plain string"},
    "many_blocks": text(*(f"block {n}" for n in range(2000))),
    "annotated": blocks({"type": "text", "text": "for you", "annotations": {"audience": ["user"], "priority": 0.5}}),
    "lone_surrogate": text("half \ud800 of a pair"),
    "control_characters": text("a\x00b\x1b[31mc"),
}
PROMISED = ("structured", "both", "mismatched", "promised_and_missing")
SIZE: Message = {"type": "object", "properties": {"characters": {"type": "integer"}}, "required": ["characters"]}


class Results(Server):
    tools = (
        *(tool(name, **({"outputSchema": SHAPE} if name in PROMISED else {})) for name in RESULTS),
        tool("big", SIZE),
        tool("big_image", SIZE),
        *(tool(name) for name in ("null", "deep", "refused", "internal")),
    )

    def call(self, name: str, arguments: Message, request_id: Any, _params: Message) -> Message | None:
        match name:
            case "big":
                line = "0123456789abcdef" * 4 + "\n"
                size = arguments["characters"]
                return text((line * (size // len(line) + 1))[: size - 3] + "END")
            case "big_image":
                data = b64encode(b"\x89PNG" + bytes(arguments["characters"] * 3 // 4)).decode()
                return blocks({"type": "image", "data": data, "mimeType": "image/png"})
            case "null":
                self.send({"id": request_id, "result": None})
                return None
            case "deep":
                raw = json.dumps(text("deep", structuredContent=deep(400)))
                self.write(b'{"jsonrpc": "2.0", "id": %d, "result": %b}\n' % (request_id, raw.encode()))
                return None
            case "refused":
                raise RefusedError(
                    -32602, "Invalid arguments for tool refused: city is unknown", {"trace": "/secret/path"}
                )
            case "internal":
                raise RefusedError(-32603, "")
        return RESULTS[name]


if __name__ == "__main__":
    main({"results": Results})
