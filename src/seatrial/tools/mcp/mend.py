"""Answers of a server, brought into the form that the protocol library accepts, with nothing of them lost.

The library takes a whole list for bad when one tool of it is, and a whole result for one content block that it does not
know. So it is handed the bare frame, and the server's own words travel along in its ``_meta``, where it does not look
into them: what is nested deeply it could not even check.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from seatrial.tools.mcp.wire import INTERNAL_ERROR, error_reply

ORIGINAL = "seatrial/original"
NAMELESS = "seatrial/nameless"
HANDSHAKE = "initialize"
LIST_TOOLS = "tools/list"
CALL_TOOL = "tools/call"

# The library reads at most some 250 levels.
MAX_SCHEMA_LEVELS = 100


class Original(str):
    """The server's own words: for the library an empty text, for us ``value``."""

    __slots__ = ("value",)
    value: dict[str, Any]

    @classmethod
    def of(cls, value: dict[str, Any]) -> Original:
        """Around that value."""
        original = cls()
        original.value = value
        return original

    @staticmethod
    def within(meta: Any) -> dict[str, Any] | None:
        """The value that travels in a ``_meta``, if one does."""
        found = meta.get(ORIGINAL) if isinstance(meta, dict) else None
        return found.value if isinstance(found, Original) else None


class Mender:
    """Knows which answer belongs to which request, and mends the answers."""

    def __init__(self) -> None:
        self._methods: dict[str, str] = {}

    def sent(self, request_id: Any, method: str) -> None:
        """A request went out."""
        self._methods[str(request_id)] = method

    def mended(self, message: dict[str, Any]) -> dict[str, Any]:
        """The message as it can be understood; anything but an answer stays as it is."""
        if "method" in message:
            return {"jsonrpc": "2.0"} | message
        if message.get("error") is not None:
            return self._error(message)
        request_id = message.get("id")
        method = self._methods.pop(str(request_id), "")
        result = message.get("result")
        if not isinstance(result, dict):
            what = "null" if result is None else f"of type {type(result).__name__}"
            return error_reply(request_id, INTERNAL_ERROR, f"the server's result is {what}, not an object")
        return {"jsonrpc": "2.0", "id": request_id, "result": mended_result(method, result)}

    def _error(self, message: dict[str, Any]) -> dict[str, Any]:
        request_id = message.get("id")
        if request_id is None and len(self._methods) == 1:
            request_id = next(iter(self._methods))
        self._methods.pop(str(request_id), None)
        error = message["error"]
        if not isinstance(error, dict):
            error = {"message": str(error)}
        code, text = error.get("code"), error.get("message")
        mended = {
            "code": code if isinstance(code, int) else INTERNAL_ERROR,
            "message": text if isinstance(text, str) else "the server names no reason",
        }
        return {"jsonrpc": "2.0", "id": request_id, "error": error | mended}


def mended_result(method: str, result: dict[str, Any]) -> dict[str, Any]:
    """The result of a listing or a call as a frame around the server's own; any other as it is."""
    if method == HANDSHAKE:
        return _completed_handshake(result)
    if method == LIST_TOOLS:
        return _list_frame(result)
    if method == CALL_TOOL and result.get("resultType", "complete") == "complete":
        return _frame(content=[], isError=result.get("isError") is True, _meta={ORIGINAL: Original.of(result)})
    return result


def _completed_handshake(result: dict[str, Any]) -> dict[str, Any]:
    """What matters is the revision; the rest has a meaning when it is not there, too."""
    capabilities, info = _dict(result.get("capabilities")), _dict(result.get("serverInfo"))
    named = {key: info[key] if isinstance(info.get(key), str) else "" for key in ("name", "version")}
    completed = {
        "capabilities": {key: value for key, value in capabilities.items() if isinstance(value, dict)},
        "serverInfo": named,
    }
    instructions = result.get("instructions")
    told = {"instructions": instructions} if isinstance(instructions, str) else {}
    return {"protocolVersion": result.get("protocolVersion"), **completed, **told}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list_frame(result: dict[str, Any]) -> dict[str, Any]:
    tools = result.get("tools")
    tools = tools if isinstance(tools, list) else []
    named = [_tool_frame(tool) for tool in tools if _has_name(tool)]
    cursor = result.get("nextCursor")
    paging = {"nextCursor": cursor} if isinstance(cursor, str) else {}
    nameless = {NAMELESS: len(tools) - len(named)}
    return _frame(tools=named, ttlMs=0, cacheScope="private", _meta=nameless, **paging)


def _has_name(tool: Any) -> bool:
    return isinstance(tool, dict) and isinstance(tool.get("name"), str) and bool(tool["name"])


def _tool_frame(tool: dict[str, Any]) -> dict[str, Any]:
    schema = tool.get("inputSchema")
    schema = schema if isinstance(schema, dict) and _is_flat(schema) else {}
    return {"name": tool["name"], "inputSchema": schema | {"type": "object"}, "_meta": {ORIGINAL: Original.of(tool)}}


def _is_flat(schema: dict[str, Any]) -> bool:
    """Whether it has no more levels than can be checked."""
    level: list[Any] = [schema]
    for _ in range(MAX_SCHEMA_LEVELS):
        level = [inner for value in level for inner in _inside(value) if isinstance(inner, dict | list)]
        if not level:
            return True
    return False


def _inside(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _frame(**values: Any) -> dict[str, Any]:
    return {"resultType": "complete", **values}
