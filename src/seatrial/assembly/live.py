"""A whole agent file, alive: its agent, its tools' indexes, its cases' metrics."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any

from seatrial.assembly.attachments import accepted_by, file_blocks
from seatrial.assembly.checks import read_json
from seatrial.assembly.hooks import build_hooks
from seatrial.assembly.mcp import build_servers, refuse_too_many_tools, refuse_unknown_tools
from seatrial.assembly.metrics import Metrics
from seatrial.assembly.models import Models, sampling
from seatrial.assembly.tools import build_tools
from seatrial.config.cases import CaseConfig, TurnConfig
from seatrial.config.evaluations import MetricConfig
from seatrial.config.limits import LimitsConfig
from seatrial.config.loaded import LoadedAgent
from seatrial.config.located import value_at
from seatrial.config.model import ModelConfig
from seatrial.config.names import did_you_mean
from seatrial.core.abort import AbortSignal
from seatrial.core.agent import Agent
from seatrial.core.limits import Limits
from seatrial.core.messages import UserMessage
from seatrial.core.model import Model
from seatrial.core.offering import ToolSource
from seatrial.core.tool import Tool
from seatrial.core.toolbox import Toolbox
from seatrial.errors import ConfigError
from seatrial.metrics.grading import GradedMetric
from seatrial.recording.deck import Deck
from seatrial.retrieval.report import IndexProgress, IndexReport
from seatrial.tools.mcp.servers import McpPool, McpServers
from seatrial.tools.vectorstore import VectorstoreTool

IndexProgressSink = Callable[[str, IndexProgress], None]
NoticeSink = Callable[[str], None]


class LiveAgent:
    """What `assemble` made of an agent file. Close it when it is done with."""

    def __init__(
        self,
        loaded: LoadedAgent,
        agent: Agent,
        models: Models,
        tools: Sequence[Tool],
        servers: McpServers | None = None,
        deck: Deck | None = None,
    ) -> None:
        self.loaded = loaded
        self.agent = agent if servers is None else agent.with_tool_sources(_taped(servers.sources, deck))
        self.tools = tuple(tools)
        self._models = models
        self._servers = servers
        self._deck = deck
        self._needs_tools = deck is None or deck.has_live_tools
        self._on_notice: NoticeSink | None = None
        self._noticed: set[str] = set()
        self._metrics = Metrics(loaded, models.judge)
        self._metrics.prepare()

    async def prepare(
        self,
        on_progress: IndexProgressSink | None = None,
        signal: AbortSignal | None = None,
        *,
        on_notice: NoticeSink | None = None,
        for_cases: bool = False,
    ) -> dict[str, IndexReport]:
        """Loads the models, starts the servers, brings the indexes up to date; says by tool name what was indexed.

        ``on_progress`` is called in other threads; ``on_notice`` is told what people should know of the servers, each
        thing once. ``for_cases``: servers that each case has anew are left to `for_trial`. Raises `McpError` for a
        server that must start and does not, `ConfigError` where the cases name tools that there are not.
        """
        self._on_notice = on_notice
        await self._models.prepare()
        if self._servers is not None and self._needs_tools:
            await self._start(self._servers, signal or AbortSignal(), for_cases=for_cases)
        reports: dict[str, IndexReport] = {}
        for tool in self.tools if self._needs_tools else ():
            if isinstance(tool, VectorstoreTool):
                name = tool.spec.name
                told = None if on_progress is None else _named(on_progress, name)
                reports[name] = await tool.prepare(told, signal)
        return reports

    def for_trial(self, stop: AbortSignal) -> AbstractAsyncContextManager[Agent]:
        """The agent for one trial, with servers of its own where the file asks for that. Entering raises `McpError`."""
        if self._servers is None or not self._servers.has_own_for_cases or not self._needs_tools:
            return nullcontext(self.agent)
        return self._with_own_servers(self._servers, stop)

    @asynccontextmanager
    async def _with_own_servers(self, servers: McpServers, stop: AbortSignal) -> AsyncIterator[Agent]:
        async with servers.for_trial(stop, on_warning=self._notice) as sources:
            yield self.agent.with_tool_sources(_taped(sources, self._deck))

    async def offered(self) -> Toolbox:
        """The tools as a request offers them, those of the servers included. Raises what a server's list raises."""
        toolbox = self.agent.tools
        for source in () if self._servers is None else _taped(self._servers.sources, self._deck):
            toolbox = toolbox.plus(await source.current_tools(), source=source.name)
        return toolbox

    def why_no_tool(self, name: str, offered: Collection[str]) -> str | None:
        """Says that there is no tool of that name; None where one was ``offered``, or a server or the file has one.

        What servers have is known once they have run. Without servers nothing is left to say: the file was checked.
        """
        if self._servers is None or name in offered or self._servers.may_have(name):
            return None
        known = dict.fromkeys([*(config.name for config in self.loaded.require().tools), *self._servers.aliases])
        return None if name in known else f"no tool is named `{name}`: {did_you_mean(name, [*known, *offered])}"

    @property
    def models(self) -> tuple[Model, ...]:
        """Every model that was built so far: the agent's, those of its tools and of its judges."""
        return self._models.built

    def metrics_for(self, asked: CaseConfig | TurnConfig) -> Sequence[GradedMetric]:
        """What is measured of a case, or of one turn of it."""
        return self._metrics.of(asked)

    def judge(self, config: MetricConfig) -> GradedMetric:
        """One judge, as an entry of the file describes it or with its defaults. Raises what building it raises."""
        return self._metrics.judge(config)

    def message_for(self, asked: CaseConfig | TurnConfig) -> UserMessage:
        """The question of a case or turn as the agent is told it, files first. Reads files; raises `DocumentError`."""
        text = asked.turns[0].input if isinstance(asked, CaseConfig) and asked.input is None else asked.input or ""
        if not asked.files:
            return UserMessage(text)
        accepts = accepted_by(self.agent.model, self.loaded.require().model)
        blocks = [block for file in asked.files for block in file_blocks(file, self.loaded, accepts)]
        return UserMessage((*blocks, *UserMessage(text).blocks))

    async def close(self, *, at_once: bool = False) -> None:
        """Closes models and indexes and ends the servers, ``at_once`` without giving them time to say good-bye."""
        if self._servers is not None:
            await self._servers.stop(at_once=at_once)
        await self._models.close()
        for tool in self.tools:
            if isinstance(tool, VectorstoreTool):
                await asyncio.to_thread(tool.close)

    async def _start(self, servers: McpServers, signal: AbortSignal, *, for_cases: bool) -> None:
        warnings = await signal.race(servers.start(with_those_per_case=not for_cases, on_slow=self._on_notice))
        for warning in warnings:
            self._notice(warning)
        counts = {source.name: source.count for source in servers.sources}
        refuse_too_many_tools(self.loaded, self.agent.model.provider, {"the file itself": len(self.tools), **counts})
        if servers.are_all_listed:
            names = [config.name for config in self.loaded.require().tools]
            refuse_unknown_tools(self.loaded, [*names, *servers.aliases])

    def _notice(self, text: str) -> None:
        """Tells what people should know of the servers, once however many cases start them anew."""
        if self._on_notice is not None and text not in self._noticed:
            self._noticed.add(text)
            self._on_notice(text)


def assemble(
    loaded: LoadedAgent,
    *,
    model: ModelConfig | None = None,
    deck: Deck | None = None,
    pool: McpPool | None = None,
    answering: Model | None = None,
) -> LiveAgent:
    """The agent of a file without errors; ``model`` takes the place of the file's. Function files are executed.

    With a ``deck`` all calls of models, tools and embedders go over its tapes: they are recorded, or replayed. Agents
    of one ``pool`` share the servers that both have. ``answering`` is a model that was made elsewhere, in the place of
    the agent's; it is closed with the agent.
    Raises `ConfigError`, `PluginError`, `ToolError` or `ProviderError` for what only building can find out.
    """
    config = loaded.require()
    models = Models(loaded, deck)
    asked = model or config.model
    if answering is not None:
        models.use(asked, answering)
    agents_model = _agents_model(models, asked, loaded)
    tools = build_tools(loaded, models.get, asked, deck)
    agent = Agent(
        agents_model,
        system_prompt=loaded.instructions_text,
        tools=tools if deck is None else [deck.tool(tool) for tool in tools],
        hooks=build_hooks(config.hooks, loaded),
        limits=limits_of(config.limits),
        sampling=sampling(asked),
        tool_execution=config.tool_execution,
        response_schema=_response_schema(config.response_format, loaded),
    )
    return LiveAgent(loaded, agent, models, tools, build_servers(loaded, tools, pool), deck)


def _agents_model(models: Models, asked: ModelConfig, loaded: LoadedAgent) -> Model:
    """Built before the tools: a prompt tool that asks the same model is not to blame for what it lacks."""
    try:
        return models.get(asked)
    except ConfigError as error:
        if error.diagnostics or not _is_written(asked, loaded):
            raise
        finding = loaded.diagnose("ST303", ("model",), error.message, hint=error.hint)
        raise ConfigError(f"{loaded.path} names a model that cannot be used", diagnostics=(finding,)) from error


def _is_written(model: ModelConfig, loaded: LoadedAgent) -> bool:
    """Whether it is the model of the file's `model:`, and not that of a variant or of the command line."""
    written = value_at(loaded.data, ("model",))
    block = written if isinstance(written, dict) else {}
    return (str(block.get("provider")), str(block.get("name"))) == (model.provider, model.name)


def limits_of(config: LimitsConfig) -> Limits:
    """The block as the loop takes it."""
    return Limits(**config.model_dump())


def _response_schema(value: Any, loaded: LoadedAgent) -> dict[str, Any] | None:
    schema: dict[str, Any] | None = read_json(value, loaded)
    return schema


def _taped(sources: Sequence[ToolSource], deck: Deck | None) -> Sequence[ToolSource]:
    return sources if deck is None else [deck.source(source) for source in sources]


def _named(on_progress: IndexProgressSink, name: str) -> Callable[[IndexProgress], None]:
    return lambda progress: on_progress(name, progress)
