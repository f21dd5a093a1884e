"""The names under which the tools of servers are offered."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from seatrial.core.toolbox import wire_form

Key = tuple[str, str]


class ToolNames:
    """Gives each tool of each server a name of its own, which it keeps.

    A tool is offered under the name that its server has for it, with the entry's prefix where there is one. Where
    several would have one name, or another tool has it already, the entry's name goes before it.
    """

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._names: dict[Key, str] = {}
        self._offered_as: defaultdict[str, frozenset[str]] = defaultdict(frozenset)

    def add(self, listed: Sequence[tuple[str, str, Iterable[str]]]) -> None:
        """Names tools of several servers at once: entry, prefix, the server's own names. Known ones are passed over."""
        wanted = {
            (entry, tool): f"{prefix}{tool}"
            for entry, prefix, tools in listed
            for tool in tools
            if (entry, tool) not in self._names
        }
        how_often = Counter(wanted.values())
        for (entry, tool), name in wanted.items():
            is_free = how_often[name] == 1 and name not in self._taken
            self._keep(entry, tool, self._reserved(name if is_free else f"{entry}_{name}"))

    def of(self, entry: str, tool: str) -> str:
        """The name of a tool that was added."""
        return self._names[entry, tool]

    @property
    def aliases(self) -> Mapping[str, frozenset[str]]:
        """What people may write for a tool: its entry (any tool of it), its server's name for it, a provider's form.

        It grows with the tools.
        """
        return self._offered_as

    def _keep(self, entry: str, tool: str, name: str) -> None:
        self._names[entry, tool] = name
        for alias in (entry, tool, name, wire_form(name)):
            self._offered_as[alias] |= {name}

    def _reserved(self, name: str) -> str:
        free = name
        number = 2
        while free in self._taken:
            free = f"{name}_{number}"
            number += 1
        self._taken.add(free)
        return free
