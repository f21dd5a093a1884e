"""Whether what the agent file names is there: files, functions, tools."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from seatrial.config.diagnostics import Diagnostic
from seatrial.config.located import Block, KeyPath, value_at
from seatrial.config.lookup import Lookup
from seatrial.config.names import did_you_mean, nearest
from seatrial.config.source import read_source
from seatrial.config.templates import placeholders
from seatrial.config.tools import tool_type
from seatrial.errors import ConfigError


class References:
    """Checks one agent file's data, whether it could be validated or not."""

    def __init__(self, data: Block, path: Path) -> None:
        self.data = data
        self._look = Lookup(data, path)

    def findings(self) -> Iterator[Diagnostic]:
        """Everything that is named and not there."""
        yield from self._look.file(("instructions", "file"))
        yield from self._look.schema_file(("response_format",))
        for moment in ("before_tool_call", "after_tool_call"):
            yield from self._look.functions(("hooks", moment))
        for index in self._look.indices(("tools",)):
            yield from self._tool(("tools", index))
        for index in self._look.indices(("variants",)):
            yield from self._variant(("variants", index))
        for index in self._look.indices(("evaluations", "metrics")):
            yield from self._look.function(("evaluations", "metrics", index, "grader"))
        for index in self._look.indices(("test_cases",)):
            yield from self._case(("test_cases", index))

    def _tool(self, path: KeyPath) -> Iterator[Diagnostic]:
        kind = (tool_type(value_at(self.data, path)) or "").strip("<>")
        if kind == "vectorstore":
            yield from self._look.exists((*path, "source"), "source")
            yield from self._look.function((*path, "reranker"))
        elif kind == "function":
            yield from self._tool_function(path)
        elif kind == "prompt":
            yield from self._look.file((*path, "file"))
            yield from self._template(path)
        elif kind == "mcp":
            yield from self._server(path)

    def _tool_function(self, path: KeyPath) -> Iterator[Diagnostic]:
        problems = list(self._look.file((*path, "file")))
        yield from problems
        file, function = self._look.text((*path, "file")), self._look.text((*path, "function"))
        if not problems and file and function and function.isidentifier():
            yield from self._look.defined(file, function, (*path, "function"), (*path, "file"))

    def _server(self, path: KeyPath) -> Iterator[Diagnostic]:
        program = _program(self._look.text((*path, "server")) or "")
        if program.startswith(("./", "../", "/", "~")) or program.endswith((".py", ".js", ".mjs")):
            yield from self._look.named(program, (*path, "server"))
        for holder in (path, (*path, "config")):
            yield from self._look.file((*holder, "env_file"))
            yield from self._look.exists((*holder, "cwd"), "folder")

    def _template(self, path: KeyPath) -> Iterator[Diagnostic]:
        text, key = self._template_text(path)
        parameters = value_at(self.data, (*path, "parameters"))
        if text is None or not isinstance(parameters, dict):
            return
        used = placeholders(text)
        holder = self._look.text((*path, key)) if key == "file" else "the template"
        for name, written, line in used:
            if name not in parameters:
                place = f"line {line} of {holder}" if "\n" in text or key == "file" else holder
                message = f"{place} uses {written}, and there is no such parameter"
                yield self._look.finding("ST308", (*path, key), message, did_you_mean(name, parameters))
        names = {placeholder.name for placeholder in used}
        for name in parameters:
            if name not in names:
                message = f"the parameter `{name}` is not used by the template"
                hint = f"write {{{{{name}}}}} where it belongs"
                yield self._look.finding("ST507", (*path, "parameters", name), message, hint, of_key=True)

    def _template_text(self, path: KeyPath) -> tuple[str | None, str]:
        text = self._look.text((*path, "template"))
        if text is not None:
            return text, "template"
        file = self._look.text((*path, "file"))
        try:
            return (read_source(self._look.absolute(file)).text if file else None), "file"
        except ConfigError:
            return None, "file"

    def _variant(self, path: KeyPath) -> Iterator[Diagnostic]:
        yield from self._look.file((*path, "instructions", "file"))
        names = self._tool_names()
        for index in self._look.indices((*path, "tools")):
            item = value_at(self.data, (*path, "tools", index))
            if isinstance(item, dict):
                yield from self._tool((*path, "tools", index))
            elif isinstance(item, str) and item not in names:
                message = f"the agent has no tool `{item}`"
                yield self._look.finding("ST305", (*path, "tools", index), message, did_you_mean(item, names))

    def _case(self, path: KeyPath) -> Iterator[Diagnostic]:
        yield from self._expectations(path)
        for index in self._look.indices((*path, "turns")):
            yield from self._expectations((*path, "turns", index))

    def _expectations(self, path: KeyPath) -> Iterator[Diagnostic]:
        case = value_at(self.data, path)
        if not isinstance(case, dict):
            return
        for key in ("expected_tools", "forbidden_tools"):
            if case.get(key):
                yield from self._named_tools((*path, key))
        if case.get("files"):
            for index in self._look.indices((*path, "files")):
                yield from self._look.file((*path, "files", index, "path"))
        if case.get("checks"):
            yield from self._checks((*path, "checks"))
        if isinstance(case.get("evaluations"), list):
            for index in self._look.indices((*path, "evaluations")):
                yield from self._look.function((*path, "evaluations", index, "grader"))

    def _checks(self, path: KeyPath) -> Iterator[Diagnostic]:
        holders = [path, *((*path, index) for index in self._look.indices(path))]
        for holder in holders:
            yield from self._look.function((*holder, "python"))
            yield from self._look.schema_file((*holder, "json_schema"))

    def _named_tools(self, path: KeyPath) -> Iterator[Diagnostic]:
        known = self._tool_names()
        value = value_at(self.data, path)
        items = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for index, item in items:
            name = item.get("name") if isinstance(item, dict) else item
            place = path if index is None else (*path, index)
            place = (*place, "name") if isinstance(item, dict) else place
            if not isinstance(name, str) or name in known or self._may_have_lost(name, known):
                continue
            if self._is_of_server(name):
                continue
            yield self._unknown_tool(str(name), known, place)

    def _unknown_tool(self, name: str, known: list[str], path: KeyPath) -> Diagnostic:
        meant = nearest(name, known)
        hint = did_you_mean(name, known) if known else "the agent has no tools"
        if self._has_mcp():
            message = f"no tool is named `{name}`; it may be one of an MCP server's"
            looked_up = (
                "it is looked up again when the server is connected; name it under its `tools:` to say that it is"
            )
            return self._look.finding("ST508", path, message, looked_up if meant is None else f"{hint} {looked_up}")
        return self._look.finding("ST305", path, f"no tool is named `{name}`", hint)

    def _tool_names(self) -> list[str]:
        tools = value_at(self.data, ("tools",))
        items = tools if isinstance(tools, list) else []
        names = (item["name"] for item in items if isinstance(item, dict) and isinstance(item.get("name"), str))
        return list(dict.fromkeys(map(str, names)))

    def _may_have_lost(self, name: str, known: list[str]) -> bool:
        """Whether the tool may be one that is told of already: in a broken list, without a name, or with another's."""
        tools = value_at(self.data, ("tools",))
        if not isinstance(tools, list):
            return tools is not None
        return len(known) < len(tools) and nearest(name, known) is None

    def _is_of_server(self, name: str) -> bool:
        """Whether a server's ``tools:`` names it, by its name or by the one that the model sees."""
        return any(fnmatchcase(name, pattern) for pattern in self._taken)

    @cached_property
    def _taken(self) -> tuple[str, ...]:
        tools = value_at(self.data, ("tools",))
        entries = [item for item in (tools if isinstance(tools, list) else ()) if isinstance(item, dict)]
        return tuple(name for entry in entries if entry.get("type") == "mcp" for name in _taken_names(entry))

    def _has_mcp(self) -> bool:
        tools = value_at(self.data, ("tools",))
        return isinstance(tools, list) and any(isinstance(item, dict) and item.get("type") == "mcp" for item in tools)


def _program(server: str) -> str:
    """The first word of what stands under ``server:``; the rest are arguments."""
    try:
        return (shlex.split(server) or [""])[0]
    except ValueError:
        return ""


def _taken_names(entry: Mapping[str, Any]) -> Iterator[str]:
    """The names and patterns of the tools that an entry takes of its server, also as the model sees them."""
    config = entry.get("config")
    inner: Mapping[str, Any] = config if isinstance(config, dict) else {}
    taken = entry.get("tools") or inner.get("tools") or ()
    prefix = entry.get("prefix") or inner.get("prefix") or ""
    for pattern in [taken] if isinstance(taken, str) else taken if isinstance(taken, list) else ():
        if isinstance(pattern, str):
            yield from (pattern, f"{prefix}{pattern}", f"{entry.get('name')}_{pattern}")
