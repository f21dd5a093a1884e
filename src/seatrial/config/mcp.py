"""Tools of ``type: mcp``: all tools of one MCP server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, ValidationError

from seatrial.config.entity import Entity, Problem
from seatrial.config.fields import FreeBlock, FullText, Number, Text, Texts, Whole
from seatrial.config.rules import given
from seatrial.config.tool_base import ToolBase

_WAYS = ("server", "command", "url")


class McpConnectionConfig(Entity):
    """How an MCP server is reached and what is taken from it."""

    called: ClassVar[str] = "the connection"
    synonyms: ClassVar[dict[str, str]] = {
        "environment": "env",
        "arguments": "args",
        "allowed_tools": "tools",
    }

    command: FullText | None = Field(default=None, description="The program that is the server.")
    args: tuple[Text, ...] = Field(default=(), description="Its arguments.")
    env: dict[str, Text] = Field(default_factory=dict, description="Its environment variables.", repr=False)
    env_file: FullText | None = Field(default=None, description="A file with more of them.")
    cwd: FullText | None = Field(default=None, description="The folder it runs in; the agent file's when absent.")
    encoding: FullText | None = Field(default=None, description="The encoding of its output; UTF-8 when absent.")
    url: FullText | None = Field(default=None, description="The address of a server that runs already.")
    headers: dict[str, Text] = Field(default_factory=dict, description="HTTP headers of every request.", repr=False)
    transport: Literal["auto", "stdio", "http", "sse"] = Field(default="auto", description="How to talk to it.")
    protocol: FullText = Field(default="auto", description="auto, legacy, or a revision of the protocol.")
    connect_timeout: Number = Field(default=60, gt=0, description="Seconds to connect and list the tools.")
    timeout: Number = Field(default=60, gt=0, description="Seconds for one call.")
    tools: Texts | None = Field(default=None, description="Only these of its tools.")
    exclude: Texts = Field(default=(), description="None of these of its tools.")
    prefix: Text | None = Field(default=None, description="Put before its tools' names.")
    on_error: Literal["fail", "skip"] = Field(default="fail", description="What a server that does not start means.")
    isolation: Literal["per_case", "shared"] = Field(
        default="per_case", description="Whether each case gets a server of its own."
    )
    max_concurrency: Whole | None = Field(default=None, gt=0, description="Calls at once.")


class McpToolConfig(McpConnectionConfig, ToolBase):
    """The tools of one MCP server. Connection keys may stand on the tool or inside ``config``."""

    called: ClassVar[str] = "an MCP tool"

    conditions = (
        {
            "anyOf": [
                *(given(key) for key in _WAYS),
                {"properties": {"config": {"anyOf": [given(k) for k in _WAYS]}}, **given("config")},
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
            yield Problem("ST202", "an MCP tool needs `server`, `command` or `url`")
        if "command" in ways and "url" in ways:
            yield Problem("ST201", "`command` and `url` exclude each other", ("url",), "keep one of them")
        yield from _problems_inside(known)


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
