"""The tools of a run by name, in the order in which they were added."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from hashlib import sha256

import msgspec

from seatrial.core.model import ToolSpec
from seatrial.core.tool import Tool
from seatrial.errors import ToolError

WIRE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
NOT_IN_WIRE_NAME = re.compile(r"[^A-Za-z0-9_-]", re.ASCII)
MAX_NAMES_TOLD = 30


class OfferedTool(msgspec.Struct, frozen=True):
    """A tool under the name it has in this toolbox, and the name under which a model sees it."""

    name: str
    wire_name: str
    tool: Tool


class Toolbox:
    """Tools with look-up by name in constant time. Immutable: changes give a new toolbox.

    Providers allow letters, digits, ``_`` and ``-``, 64 at most. A tool of another name is offered under an alias, and
    a call of the alias is a call of the tool. Raises `ToolError` when two tools have one name.
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._offered: dict[str, OfferedTool] = {}
        self._names_by_wire: dict[str, str] = {}
        tools = tuple(tools)
        for tool in sorted(tools, key=lambda tool: wire_form(tool.spec.name) != tool.spec.name):
            self._reserve(tool.spec.name, tool)
        self._offered = {tool.spec.name: self._offered[tool.spec.name] for tool in tools}
        self._specs: tuple[ToolSpec, ...] | None = None

    def __len__(self) -> int:
        return len(self._offered)

    def __iter__(self) -> Iterator[Tool]:
        return (offered.tool for offered in self._offered.values())

    def __contains__(self, name: object) -> bool:
        return name in self._offered

    @property
    def names(self) -> tuple[str, ...]:
        """The tools' names."""
        return tuple(self._offered)

    @property
    def offered(self) -> tuple[OfferedTool, ...]:
        """The tools with both their names."""
        return tuple(self._offered.values())

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """What the model is told of the tools, under their wire names; the same tuple every time."""
        if self._specs is None:
            self._specs = tuple(spec_of(offered) for offered in self._offered.values())
        return self._specs

    def get(self, name: str) -> Tool | None:
        """The tool of this name, or None."""
        offered = self._offered.get(name)
        return None if offered is None else offered.tool

    def wire_name(self, name: str) -> str:
        """The name under which the model sees a tool; a legal form of the name when there is no such tool."""
        offered = self._offered.get(name)
        return wire_form(name) if offered is None else offered.wire_name

    def name_of(self, wire_name: str) -> str:
        """The tool that a model means by a name; the name itself when there is none."""
        return self._names_by_wire.get(wire_name, wire_name)

    def plus(self, tools: Iterable[Tool], *, source: str = "") -> Toolbox:
        """With more tools at the end. One whose name is taken gets ``<source>_`` before it."""
        more = Toolbox()
        more._offered = dict(self._offered)
        more._names_by_wire = dict(self._names_by_wire)
        for tool in tools:
            name = tool.spec.name
            if name in more._offered and source:
                name = f"{source}_{name}"
            more._reserve(name, tool)
        return more

    def replaced(self, name: str, tool: Tool) -> Toolbox:
        """With another tool in the place and under the name of one that is here."""
        changed = self.plus(())
        changed._offered[name] = OfferedTool(name, self._offered[name].wire_name, tool)
        return changed

    def without(self, names: Iterable[str]) -> Toolbox:
        """With those tools gone; names that are not there are passed over."""
        gone = set(names)
        fewer = Toolbox()
        fewer._offered = {name: offered for name, offered in self._offered.items() if name not in gone}
        fewer._names_by_wire = {offered.wire_name: name for name, offered in fewer._offered.items()}
        return fewer

    def unknown(self, name: str) -> str:
        """What to tell a model that called a tool which is not here."""
        if not self._offered:
            return f"There is no tool named {name!r}: no tools are offered."
        known = [offered.wire_name for offered in self._offered.values()]
        folded = {known_name.casefold(): known_name for known_name in reversed(known)}
        near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
        more = f" and {len(known) - MAX_NAMES_TOLD} more" if len(known) > MAX_NAMES_TOLD else ""
        meant = f" Did you mean {folded[near[0]]!r}?" if near else ""
        return f"There is no tool named {name!r}.{meant} The tools are: {', '.join(known[:MAX_NAMES_TOLD])}{more}."

    def _reserve(self, name: str, tool: Tool) -> None:
        if name in self._offered:
            raise ToolError(f"two tools are named {name!r}", hint="give one of them another name")
        wire_name = wire_form(name)
        if wire_name in self._names_by_wire:
            wire_name = _with_digest(name)
        self._offered[name] = OfferedTool(name, wire_name, tool)
        self._names_by_wire[wire_name] = name


def wire_form(name: str) -> str:
    """The name itself where every provider allows it, else a legal form that is always the same for the name."""
    if WIRE_NAME.fullmatch(name):
        return name
    legal = NOT_IN_WIRE_NAME.sub("_", name)
    return legal if 0 < len(legal) <= 64 else _with_digest(name)


def _with_digest(name: str) -> str:
    legal = NOT_IN_WIRE_NAME.sub("_", name)
    return f"{legal[:55]}_{sha256(name.encode('utf-8', 'replace')).hexdigest()[:8]}"


def spec_of(offered: OfferedTool) -> ToolSpec:
    """What the model is told of the tool, under its wire name."""
    spec = offered.tool.spec
    return spec if spec.name == offered.wire_name else msgspec.structs.replace(spec, name=offered.wire_name)
