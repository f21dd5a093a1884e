"""Models, tools and servers of tools whose calls go over the tape of their trial."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from seatrial.core.abort import AbortSignal
from seatrial.core.execute import within
from seatrial.core.messages import AssistantMessage
from seatrial.core.model import Model, ModelInfo, ModelRequest, NoticeSink, Preparable, ToolSpec, stops_itself
from seatrial.core.offering import ToolSource
from seatrial.core.tool import ExecutionMode, Tool, ToolContext, ToolOutput, output_of
from seatrial.core.waiting import logger
from seatrial.recording.tape import current_tape


class TapedModel:
    """A model under the name ``known_as`` of the recording. The real one is built when it is first needed."""

    def __init__(
        self,
        known_as: str,
        build: Callable[[], Model],
        *,
        provider: str,
        name: str,
        info: ModelInfo | None,
        host: str | None = None,
        is_judge: bool = False,
    ) -> None:
        self.provider = provider
        self.name = name
        self.info = info
        self.host = host
        self._known_as = known_as
        self._build = build
        self._model: Model | None = None
        self._is_judge = is_judge

    @property
    def stops_itself(self) -> bool:
        """What comes from a tape is there at once; else it is as the real one says."""
        return self._model is None or stops_itself(self._model)

    async def respond(
        self, request: ModelRequest, *, on_notice: NoticeSink | None = None, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        """The tape's reply."""

        async def live(on_notice: NoticeSink | None) -> AssistantMessage:
            return await self.build().respond(request, on_notice=on_notice, signal=signal)

        tape = current_tape()
        if tape is None:
            return await live(on_notice)
        return await tape.ask(self._known_as, request, live, on_notice, is_judge=self._is_judge)

    def build(self) -> Model:
        """The real model, built now if it was not before."""
        if self._model is None:
            self._model = self._build()
        return self._model

    async def prepare(self) -> None:
        """Gets the real model ready, where it was built."""
        if self._model is not None and isinstance(self._model, Preparable):
            await self._model.prepare()

    async def close(self) -> None:
        """Closes the real model, where it was built."""
        if self._model is not None:
            await self._model.close()


class TapedTool:
    """A tool with all that is said of it, whose runs go over the tape.

    Its time is kept here and not by the loop, so that the tape sees each call end in the moment in which all others do.
    """

    timeout_s: float | None = None

    def __init__(self, tool: Tool) -> None:
        self._tool = tool

    @property
    def spec(self) -> ToolSpec:
        """The tool's own."""
        return self._tool.spec

    @property
    def label(self) -> str:
        """The tool's own."""
        return self._tool.label

    @property
    def execution_mode(self) -> ExecutionMode:
        """The tool's own."""
        return self._tool.execution_mode

    def __getattr__(self, name: str) -> Any:
        """What else a tool may say of itself."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._tool, name)

    def check_arguments(self, arguments: dict[str, Any]) -> str | None:
        """What the tool itself says."""
        return self._tool.check_arguments(arguments)

    async def run(self, arguments: dict[str, Any], context: ToolContext) -> ToolOutput:
        """The tape's output."""

        async def live(context: ToolContext) -> ToolOutput:
            running = self._tool.run(arguments, context)
            if self._tool.timeout_s is None:
                return output_of(await running)
            return await within(self._tool.timeout_s, running, self.spec.name, logger.warning)

        tape = current_tape()
        return await (live(context) if tape is None else tape.run(self._tool, arguments, live, context))


class TapedSource:
    """A server of tools whose lists, and whose tools' runs, go over the tape."""

    def __init__(self, source: ToolSource) -> None:
        self.name = source.name
        self._source = source
        self._taped: dict[int, tuple[Sequence[Tool], Sequence[Tool]]] = {}

    async def current_tools(self) -> Sequence[Tool]:
        """The tools, each taped; for the same object of the tape always the same one."""
        tape = current_tape()
        if tape is None:
            tools = await self._source.current_tools()
        else:
            tools = await tape.list_tools(self.name, self._source.current_tools)
        if id(tools) not in self._taped:
            self._taped[id(tools)] = (tools, tuple(TapedTool(tool) for tool in tools))
        return self._taped[id(tools)][1]
