"""Tools of ``type: mcp``: all tools of one MCP server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import Field, ValidationError

from seatrial.config.entity import Entity, Problem
from seatrial.config.fields import FreeBlock, FullText, Number, Text, Texts, Whole
from seatrial.config.located import FilledText
from seatrial.config.rules import given
from seatrial.config.tool_base import ToolBase

_WAYS = ("server", "command", "url")
_PASTED = "mcpServers"
_ONE_HIGHER = "write `command` and `args` (or `url`) straight under `config`"
# What other programs call how a server is spoken to.
_TRANSPORTS = {
    "stdio": "stdio",
    "http": "http",
    "streamable-http": "http",
    "streamableHttp": "http",
    "sse": "sse",
}
_HTTP = re.compile(r"https?://[^/\s]", re.IGNORECASE)
_BARE_ADDRESS = re.compile(r"[\w.-]+:\d{2,5}(/\S*)?")


class McpConnectionConfig(Entity):
    """How an MCP server is reached and what is taken from it."""

    called: ClassVar[str] = "the connection"
    synonyms: ClassVar[dict[str, str]] = {
        "environment": "env",
        "arguments": "args",
        "allow": "tools",
        "allowed_tools": "tools",
        "excluded_tools": "exclude",
        "http_headers": "headers",
        "endpoint": "url",
        "max_output_chars": "max_output",
    }

    command: FullText | None = Field(default=None, description="The program that is the server.")
    args: tuple[Text, ...] = Field(default=(), description="Its arguments.")
    env: dict[str, Text] = Field(default_factory=dict, description="Its environment variables.", repr=False)
    env_file: FullText | None = Field(default=None, description="A file with more of them.")
    inherit_env: Texts = Field(
        default=(), description="Names of variables of our own environment that it gets; most it does not get."
    )
    cwd: FullText | None = Field(default=None, description="The folder it runs in; the agent file's when absent.")
    encoding: FullText | None = Field(default=None, description="The encoding of its output; UTF-8 when absent.")
    url: FullText | None = Field(default=None, description="The address of a server that runs already.")
    headers: dict[str, Text] = Field(default_factory=dict, description="HTTP headers of every request.", repr=False)
    transport: Literal["auto", "stdio", "http", "sse"] = Field(default="auto", description="How to talk to it.")
    protocol: Literal["auto", "legacy", "2026-07-28"] = Field(
        default="auto",
        description="legacy: with a handshake, as before 2026; 2026-07-28: without; auto finds out which.",
    )
    connect_timeout: Number = Field(default=60, gt=0, description="Seconds to start or reach it and list its tools.")
    timeout: Number = Field(default=60, gt=0, description="Seconds for one call.")
    tools: Texts | None = Field(default=None, description="Only these of its tools: names, or patterns as read_*.")
    exclude: Texts = Field(default=(), description="None of these of its tools: names, or patterns as delete_*.")
    prefix: Text | None = Field(default=None, description="Put before its tools' names.")
    on_error: Literal["fail", "skip"] = Field(
        default="fail", description="A server that does not start ends the command, or is left out with a warning."
    )
    isolation: Literal["shared", "per_case"] = Field(
        default="shared", description="Whether all test cases share one server or each gets its own."
    )
    max_concurrency: Whole | None = Field(default=None, gt=0, description="Most calls of it at once.")
    max_output: Whole | None = Field(default=None, gt=0, description="Characters of a result that the model is shown.")


class McpToolConfig(McpConnectionConfig, ToolBase):
    """The tools of one MCP server. Connection keys may stand on the tool or inside ``config``.

    ``config`` may also hold an ``mcpServers`` block of one server, as other programs have it.
    """

    called: ClassVar[str] = "an MCP tool"

    conditions = (
        {
            "anyOf": [
                *(given(key) for key in _WAYS),
                {"properties": {"config": {"anyOf": [given(k) for k in (*_WAYS, _PASTED)]}}, **given("config")},
            ]
        },
    )

    type: Literal["mcp"] = Field(description="Which kind of tool it is.")
    server: FullText | None = Field(default=None, description="A package, a command, a file or a URL.")
    config: FreeBlock = Field(
        default_factory=dict, description="Connection keys; what else is in it is for the server.", repr=False
    )

    @property
    def connection(self) -> McpConnectionConfig:
        """The connection keys of the tool and of ``config`` together."""
        names = McpConnectionConfig.model_fields
        values = {name: getattr(self, name) for name in names if name in self.model_fields_set}
        values |= {name: value for name, value in self.config.items() if name in names and value is not None}
        return McpConnectionConfig.model_validate(values)

    @classmethod
    def read(cls, value: Any) -> Any:
        """A block of ``mcpServers`` as what it says of its one server."""
        config = value.get("config") if isinstance(value, dict) else None
        servers = config.get(_PASTED) if isinstance(config, dict) and len(config) == 1 else None
        (server,) = servers.values() if isinstance(servers, dict) and len(servers) == 1 else (None,)
        if isinstance(server, dict):
            value["config"] = server
            if server.get("type") in _TRANSPORTS:
                server["transport"] = _TRANSPORTS[server.pop("type")]
        return value

    @classmethod
    def rules(cls, values: Mapping[str, Any]) -> Iterator[Problem]:
        """A way to the server; no key twice; keys inside ``config`` have their types."""
        config = values.get("config")
        inner = dict(config) if isinstance(config, dict) else {}
        known = {key: value for key, value in inner.items() if key in McpConnectionConfig.model_fields}
        for key in known.keys() & values.keys():
            message = f"`{key}` stands on the tool and in its `config`"
            yield Problem("ST201", message, ("config", key), "keep one of the two")
        ways = [key for key in _WAYS if values.get(key) or known.get(key)]
        if not ways:
            yield _no_way(inner)
        if len(ways) > 1:
            written = " and ".join(f"`{way}`" for way in ways)
            yield Problem("ST201", f"{written} exclude each other", (ways[-1],), "keep one of them")
        else:
            yield from _wrong_transport(ways, values.get("transport") or known.get("transport"))
        yield from _no_address(values)
        yield from (replace(problem, loc=("config", *problem.loc)) for problem in _no_address(known))
        yield from _problems_inside(known)


def _no_way(config: Mapping[str, Any]) -> Problem:
    """What to write where nothing says how the server is reached; blocks of other programs are often pasted here."""
    pasted = config.get(_PASTED)
    if isinstance(pasted, dict) and pasted:
        names = ", ".join(f"`{name}`" for name in pasted)
        if len(pasted) == 1:
            return Problem("ST202", f"{names} under `{_PASTED}` cannot be used", ("config",), _ONE_HIGHER)
        message = f"`{_PASTED}` holds {len(pasted)} servers ({names}), and a tool of type mcp is one"
        hint = "write a tool for each, with `command` and `args` (or `url`) of its own"
        return Problem("ST202", message, ("config", _PASTED), hint)
    for name, block in config.items():
        if isinstance(block, dict) and any(block.get(way) for way in _WAYS):
            message = f"an MCP tool needs `server`, `command` or `url`; they stand too deep, under `{name}`"
            return Problem("ST202", message, ("config", name), _ONE_HIGHER)
    return Problem("ST202", "an MCP tool needs `server`, `command` or `url`")


def _no_address(values: Mapping[str, Any]) -> Iterator[Problem]:
    """Addresses that do not say how they are spoken to."""
    url, server = values.get("url"), values.get("server")
    if isinstance(url, str) and url.strip() and not _is_open(url) and not _HTTP.match(url.strip()):
        yield Problem("ST402", "a `url` begins with http:// or https://", ("url",), _with_scheme(url), url)
    if isinstance(server, str) and _BARE_ADDRESS.fullmatch(server.strip()):
        hint = f"an address begins with http:// or https://: {_with_scheme(server)}"
        yield Problem("ST402", "`server` is neither a program nor a whole address", ("server",), hint, server)


def _is_open(text: str) -> bool:
    """Whether a variable in it is not set, which is told elsewhere."""
    return isinstance(text, FilledText) and not text.is_whole


def _with_scheme(address: str) -> str:
    rest = address.strip().rpartition("://")[2].lstrip("/")
    is_near = rest.startswith(("localhost", "127.", "[::1]"))
    return f"write {'http' if is_near else 'https'}://{rest}"


def _wrong_transport(ways: list[str], transport: Any) -> Iterator[Problem]:
    if ways == ["url"] and transport == "stdio":
        yield Problem("ST201", "a server with a `url` is not reached over stdio", ("transport",), "http, sse or auto")
    if ways == ["command"] and transport in ("http", "sse"):
        message = f"a server with a `command` is not reached over {transport}"
        yield Problem("ST201", message, ("transport",), "leave `transport` out, or give the server's `url`")


def _problems_inside(known: dict[str, Any]) -> Iterator[Problem]:
    try:
        McpConnectionConfig.model_validate(dict(known))
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            context = detail.get("ctx", {})
            yield Problem(
                detail["type"],
                context.get("message", detail["msg"]),
                ("config", *detail["loc"]),
                context.get("hint"),
                detail["input"],
            )
