"""Which tools are offered, from one request to the next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from seatrial.core.messages import Message, ToolResultMessage
from seatrial.core.scope import Scope
from seatrial.core.tool import Tool
from seatrial.core.tool_errors import told
from seatrial.core.toolbox import Toolbox

_UNLISTED = "cannot be listed:"


def tells_of_missing_tools(warning: str) -> bool:
    """Whether a run's warning says that a source's tools were not there."""
    return warning.startswith("the tools of ") and _UNLISTED in warning


class ToolSource(Protocol):
    """Tools that may change while a run goes on, such as those of a server."""

    @property
    def name(self) -> str:
        """Goes before the name of a tool whose own name is taken: ``<source>_<tool>``."""

    async def current_tools(self) -> Sequence[Tool]:
        """The tools now; the same object as before when nothing changed. Asked before every request.

        May raise: then the run goes on with the tools it had, and a warning.
        """


class Offering:
    """Changes a run's tools between requests: tools that stay keep their place, new ones come last."""

    def __init__(self, scope: Scope, deferred: Iterable[Tool], sources: Iterable[ToolSource]) -> None:
        self._scope = scope
        self._deferred = {tool.spec.name: tool for tool in deferred}
        self._sources = [_Listing(source) for source in sources]
        if self._deferred:
            for message in scope.state.messages:
                self.add_named_in(message)

    def add_named_in(self, message: Message) -> None:
        """Offers the tools that a result names, each once; a name that nobody knows is a warning."""
        if not isinstance(message, ToolResultMessage) or not message.added_tool_names:
            return
        for name in message.added_tool_names:
            if name in self._scope.state.tools:
                continue
            if name in self._deferred:
                self._use(self._scope.state.tools.plus([self._deferred[name]]))
            else:
                self._scope.warn(f"{message.tool_name} adds the tool {name!r}, which there is not")

    def use_only(self, tools: Sequence[Tool]) -> None:
        """Offers exactly these tools from now on."""
        self._use(Toolbox(tools))

    async def refresh(self) -> None:
        """Asks the sources what there is now. Raises `AbortedError` when the run is aborted meanwhile."""
        for listing in self._sources:
            try:
                tools = await self._scope.signal.race(listing.source.current_tools())
            except Exception as error:  # noqa: BLE001 - a source of tools is asked like a hook
                self._scope.signal.raise_if_set()
                self._scope.warn(f"the tools of {listing.source.name} {_UNLISTED} {told(error)}")
                continue
            if tools is not listing.tools:
                self._use(listing.update(tools, self._scope.state.tools))

    def _use(self, tools: Toolbox) -> None:
        self._scope.state.tools = tools
        self._scope.conversation.use_tools(tools)


class _Listing:
    """What a source listed last, and under which names its tools are offered."""

    def __init__(self, source: ToolSource) -> None:
        self.source = source
        self.tools: Sequence[Tool] = ()
        self._offered_names: dict[str, str] = {}

    def update(self, tools: Sequence[Tool], toolbox: Toolbox) -> Toolbox:
        """The toolbox after the source's new list."""
        self.tools = tools
        listed = {tool.spec.name: tool for tool in tools}
        toolbox = toolbox.without(offered for name, offered in self._offered_names.items() if name not in listed)
        names: dict[str, str] = {}
        for name, tool in listed.items():
            offered = self._offered_names.get(name)
            if offered is None:
                toolbox = toolbox.plus([tool], source=self.source.name)
                offered = toolbox.names[-1]
            else:
                toolbox = toolbox.replaced(offered, tool)
            names[name] = offered
        self._offered_names = names
        return toolbox
