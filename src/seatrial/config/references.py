"""Whether what the agent file names is there: files, functions, tools. Reads files, runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from seatrial.config.diagnostics import Diagnostic, Place, Severity
from seatrial.config.hooks import split_reference
from seatrial.config.located import Block, FilledText, KeyPath, locate, value_at
from seatrial.config.names import did_you_mean, nearest
from seatrial.config.paths import from_folder, kind_of, names_in, near_path
from seatrial.config.python_source import PythonNames, names_defined
from seatrial.config.source import read_source
from seatrial.config.templates import placeholders
from seatrial.config.tools import tool_type
from seatrial.errors import ConfigError

_SCHEMES = ("http://", "https://", "s3://", "az://", "gs://", "file://")


class References:
    """Checks one agent file's data, whether it could be validated or not."""

    def __init__(self, data: Block, path: Path) -> None:
        self.data = data
        self.path = path
        self.folder = path.parent
        self._names_in = cache(names_defined)
        self._names_beside = cache(names_in)

    def findings(self) -> Iterator[Diagnostic]:
        """Everything that is named and not there."""
        yield from self._file(("instructions", "file"))
        yield from self._format(("response_format",))
        for moment in ("before_tool_call", "after_tool_call"):
            yield from self._each_function(("hooks", moment))
        for index in self._indices(("tools",)):
            yield from self._tool(("tools", index))
        for index in self._indices(("variants",)):
            yield from self._variant(("variants", index))
        for index in self._indices(("evaluations", "metrics")):
            yield from self._function(("evaluations", "metrics", index, "grader"))
        for index in self._indices(("test_cases",)):
            yield from self._case(("test_cases", index))

    def _tool(self, path: KeyPath) -> Iterator[Diagnostic]:
        kind = (tool_type(value_at(self.data, path)) or "").strip("<>")
        if kind == "vectorstore":
            yield from self._exists((*path, "source"), "source")
        elif kind == "function":
            yield from self._tool_function(path)
        elif kind == "prompt":
            yield from self._file((*path, "file"))
            yield from self._template(path)
        elif kind == "mcp":
            yield from self._server(path)

    def _tool_function(self, path: KeyPath) -> Iterator[Diagnostic]:
        problems = list(self._file((*path, "file")))
        yield from problems
        file, function = self._text((*path, "file")), self._text((*path, "function"))
        if not problems and file and function and function.isidentifier():
            yield from self._defined(file, function, (*path, "function"), (*path, "file"))

    def _server(self, path: KeyPath) -> Iterator[Diagnostic]:
        server = self._text((*path, "server"))
        looks_like_path = server is not None and server.startswith(("./", "../", "/", "~"))
        if server and (looks_like_path or (server.endswith((".py", ".js", ".mjs")) and " " not in server)):
            yield from self._file((*path, "server"))
        for holder in (path, (*path, "config")):
            yield from self._file((*holder, "env_file"))
            yield from self._exists((*holder, "cwd"), "folder")

    def _template(self, path: KeyPath) -> Iterator[Diagnostic]:
        text, key = self._template_text(path)
        parameters = value_at(self.data, (*path, "parameters"))
        if text is None or not isinstance(parameters, dict):
            return
        used = placeholders(text)
        for name in used:
            if name not in parameters:
                message = f"the template uses {{{name}}}, and there is no such parameter"
                hint = did_you_mean(name, parameters)
                yield self._finding("ST308", (*path, key), message, hint)
        for name in parameters:
            if name not in used:
                message = f"the parameter `{name}` is not used by the template"
                yield self._finding(
                    "ST507", (*path, "parameters", name), message, f"write {{{name}}} where it belongs", of_key=True
                )

    def _template_text(self, path: KeyPath) -> tuple[str | None, str]:
        text = self._text((*path, "template"))
        if text is not None:
            return text, "template"
        file = self._text((*path, "file"))
        try:
            return (read_source(self._absolute(file)).text if file else None), "file"
        except ConfigError:
            return None, "file"

    def _variant(self, path: KeyPath) -> Iterator[Diagnostic]:
        yield from self._file((*path, "instructions", "file"))
        names = self._tool_names()
        for index in self._indices((*path, "tools")):
            item = value_at(self.data, (*path, "tools", index))
            if isinstance(item, dict):
                yield from self._tool((*path, "tools", index))
            elif isinstance(item, str) and item not in names:
                message = f"the agent has no tool `{item}`"
                yield self._finding("ST305", (*path, "tools", index), message, did_you_mean(item, names))

    def _case(self, path: KeyPath) -> Iterator[Diagnostic]:
        yield from self._expectations(path)
        for index in self._indices((*path, "turns")):
            yield from self._expectations((*path, "turns", index))

    def _expectations(self, path: KeyPath) -> Iterator[Diagnostic]:
        case = value_at(self.data, path)
        if not isinstance(case, dict):
            return
        for key in ("expected_tools", "forbidden_tools"):
            if case.get(key):
                yield from self._named_tools((*path, key))
        if case.get("files"):
            for index in self._indices((*path, "files")):
                yield from self._file((*path, "files", index, "path"))
        if case.get("checks"):
            yield from self._checks((*path, "checks"))
        if isinstance(case.get("evaluations"), list):
            for index in self._indices((*path, "evaluations")):
                yield from self._function((*path, "evaluations", index, "grader"))

    def _checks(self, path: KeyPath) -> Iterator[Diagnostic]:
        holders = [path, *((*path, index) for index in self._indices(path))]
        for holder in holders:
            yield from self._function((*holder, "python"))
            yield from self._format((*holder, "json_schema"))

    def _named_tools(self, path: KeyPath) -> Iterator[Diagnostic]:
        known = self._tool_names()
        value = value_at(self.data, path)
        items = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for index, item in items:
            name = item.get("name") if isinstance(item, dict) else item
            place = path if index is None else (*path, index)
            place = (*place, "name") if isinstance(item, dict) else place
            if not isinstance(name, str) or name in known or (not known and self._has_broken_tools()):
                continue
            yield self._unknown_tool(str(name), known, place)

    def _unknown_tool(self, name: str, known: list[str], path: KeyPath) -> Diagnostic:
        meant = nearest(name, known)
        hint = did_you_mean(name, known) if known else "the agent has no tools"
        if self._has_mcp() and meant is None:
            message = f"no tool is named `{name}`; it may be one of an MCP server's"
            return self._finding("ST508", path, message, "it is looked up again when the server is connected")
        return self._finding("ST305", path, f"no tool is named `{name}`", hint)

    def _tool_names(self) -> list[str]:
        tools = value_at(self.data, ("tools",))
        items = tools if isinstance(tools, list) else []
        return [str(item["name"]) for item in items if isinstance(item, dict) and isinstance(item.get("name"), str)]

    def _has_broken_tools(self) -> bool:
        tools = value_at(self.data, ("tools",))
        return tools is not None and not isinstance(tools, list)

    def _has_mcp(self) -> bool:
        tools = value_at(self.data, ("tools",))
        return isinstance(tools, list) and any(isinstance(item, dict) and item.get("type") == "mcp" for item in tools)

    def _each_function(self, path: KeyPath) -> Iterator[Diagnostic]:
        yield from self._function(path)
        for index in self._indices(path):
            yield from self._function((*path, index))

    def _function(self, path: KeyPath) -> Iterator[Diagnostic]:
        reference = self._text(path)
        if reference is None:
            return
        file, function = split_reference(reference)
        if not file or not function.isidentifier():
            yield self._finding("ST402", path, f"`{reference}` is not written as file.py:function")
            return
        found = file if file.endswith(".py") else self._module_file(file)
        if found is None:
            return
        problems = list(self._missing(found, path))
        yield from problems or self._defined(found, function, path, path)

    def _module_file(self, module: str) -> str | None:
        """The file of a dotted module beside the agent file; None for one that may be installed."""
        relative = module.replace(".", "/") + ".py"
        return relative if kind_of(self.folder / relative) == "file" else None

    def _defined(self, file: str, function: str, path: KeyPath, file_path: KeyPath) -> Iterator[Diagnostic]:
        try:
            found: PythonNames = self._names_in(self._absolute(file))
        except OSError as error:
            yield self._finding("ST302", file_path, f"{file} cannot be read: {error.strerror}")
            return
        if found.syntax_error is not None:
            yield self._finding("ST307", file_path, f"{file} has a syntax error, {found.syntax_error}")
        elif found.names is not None and function not in found.names:
            public = sorted(name for name in found.names if not name.startswith("_"))
            message = f"{file} does not define `{function}`"
            yield self._finding("ST304", path, message, did_you_mean(function, public))

    def _format(self, path: KeyPath) -> Iterator[Diagnostic]:
        if self._text(path) is not None:
            yield from self._file(path)

    def _file(self, path: KeyPath) -> Iterator[Diagnostic]:
        written = self._text(path)
        if written is None:
            return
        problems = list(self._missing(written, path))
        yield from problems
        if not problems and kind_of(self._absolute(written)) == "folder":
            yield self._finding("ST302", path, f"{written} is a folder, and a file is needed")

    def _exists(self, path: KeyPath, what: str) -> Iterator[Diagnostic]:
        written = self._text(path)
        if written is None:
            return
        if written.startswith(_SCHEMES):
            hint = "download it, and name the file or folder"
            yield self._finding("ST302", path, f"{what} must be a file or a folder, not an address", hint)
            return
        yield from self._missing(written, path)

    def _missing(self, written: str, path: KeyPath) -> Iterator[Diagnostic]:
        target = self._absolute(written)
        kind = kind_of(target)
        if kind == "unusable":
            yield self._finding("ST302", path, f"{written[:80]} is no usable path")
        elif kind == "missing" and target.is_symlink():
            message = f"{written} is a link to {target.readlink()}, which does not exist"
            yield self._finding("ST301", path, message)
        elif kind == "missing":
            yield self._finding("ST301", path, f"{written} does not exist", self._hint_for_missing(target, written))

    def _hint_for_missing(self, target: Path, written: str) -> str:
        near = near_path(target, written, self._names_beside(target.parent))
        if near is not None:
            return f"did you mean {near}?"
        if not Path(written).is_absolute() and Path(written).exists():
            return f"paths begin at the folder of the agent file, {self.folder.absolute()}"
        return f"looked for {target}"

    def _absolute(self, written: str) -> Path:
        return from_folder(self.folder, written)

    def _text(self, path: KeyPath) -> str | None:
        value = value_at(self.data, path)
        if not isinstance(value, str) or not value.strip():
            return None
        return None if isinstance(value, FilledText) and not value.is_whole else str(value)

    def _indices(self, path: KeyPath) -> range:
        value = value_at(self.data, path)
        return range(len(value)) if isinstance(value, list) else range(0)

    def _finding(
        self, code: str, path: KeyPath, message: str, hint: str | None = None, *, of_key: bool = False
    ) -> Diagnostic:
        place = locate(self.data, path, of_key=of_key) or Place(self.path, 1)
        severity: Severity = "warning" if code.startswith("ST5") else "error"
        return Diagnostic(severity, code, message, place, hint=hint, key_path=path)
