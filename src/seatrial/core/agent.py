"""The agent: what the user of the library holds in hand."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any

import msgspec

from seatrial.core.abort import AbortSignal
from seatrial.core.compaction import Compaction, sum_up
from seatrial.core.events import EventSink
from seatrial.core.hooks import Decision, Hooks, as_tuple
from seatrial.core.journal import Journal
from seatrial.core.limits import Limits
from seatrial.core.loop_config import MAX_PARALLEL_TOOLS, RESULT_LIMIT_CHARS, LoopConfig
from seatrial.core.messages import Message, UserMessage, as_user_message
from seatrial.core.model import Model, Sampling
from seatrial.core.offering import ToolSource
from seatrial.core.result import RunResult, check_decisions
from seatrial.core.running import Blueprint, Order, Running
from seatrial.core.session import Session
from seatrial.core.stream import RunStream
from seatrial.core.subagent import AgentTool
from seatrial.core.tool import ExecutionMode, Tool
from seatrial.core.toolbox import Toolbox
from seatrial.core.waiting import is_in_event_loop

__all__ = ["Agent", "RunResult"]


class Agent:
    """A model with instructions and tools. Immutable: each run has its own state, and many may go on at once.

    ``deferred_tools`` are offered once a tool result names them in ``added_tool_names``; ``tool_sources`` are asked for
    their tools before every request. ``response_schema`` is a JSON Schema that the final answer must meet; its value is
    the result's ``output``. ``compaction`` sums up a conversation that the model has no room for; None lets such a run
    fail. ``result_limit_chars`` is the most text of one tool result that the model gets.

    Raises `ToolError` when two tools have one name, ValueError for settings that mean nothing.
    """

    def __init__(
        self,
        model: Model,
        *,
        system_prompt: str = "",
        tools: Sequence[Tool] = (),
        hooks: Hooks | None = None,
        limits: Limits | None = None,
        sampling: Sampling | None = None,
        tool_execution: ExecutionMode = "parallel",
        response_schema: dict[str, Any] | None = None,
        max_parallel_tools: int = MAX_PARALLEL_TOOLS,
        result_limit_chars: int = RESULT_LIMIT_CHARS,
        compaction: Compaction | None = sum_up,
        deferred_tools: Sequence[Tool] = (),
        tool_sources: Sequence[ToolSource] = (),
    ) -> None:
        hooks = hooks or Hooks()
        self._blueprint = Blueprint(
            model=model,
            system_prompt=system_prompt,
            tools=Toolbox(tools),
            deferred_tools=tuple(deferred_tools),
            tool_sources=tuple(tool_sources),
            config=LoopConfig(
                before_tool_call=as_tuple(hooks.before_tool_call),
                after_tool_call=as_tuple(hooks.after_tool_call),
                before_request=as_tuple(hooks.before_request),
                tool_execution=tool_execution,
                max_parallel_tools=max_parallel_tools,
                limits=limits or Limits(),
                sampling=sampling or Sampling(),
                response_schema=response_schema,
                result_limit_chars=result_limit_chars,
                compaction=compaction,
            ),
        )

    @property
    def model(self) -> Model:
        """The model that answers."""
        return self._blueprint.model

    @property
    def system_prompt(self) -> str:
        """The instructions."""
        return self._blueprint.system_prompt

    @property
    def tools(self) -> Toolbox:
        """The tools that every run begins with."""
        return self._blueprint.tools

    @property
    def config(self) -> LoopConfig:
        """Hooks, limits and the way tools are run."""
        return self._blueprint.config

    async def run(
        self,
        prompt: str | UserMessage | None = None,
        *,
        history: Sequence[Message] = (),
        signal: AbortSignal | None = None,
        sink: EventSink | None = None,
        with_deltas: bool = True,
        journal: Journal | None = None,
    ) -> RunResult:
        """The result of one run, however it ends. Cancelling the task stops the run and raises ``CancelledError``.

        Without a prompt it goes on from the history: open tool calls at its end are run first, those that the journal
        knows to be finished are not run again. ``sink`` is told every step; with ``with_deltas=False`` the model may
        answer whole instead of streaming. Raises ValueError for an empty prompt.
        """
        if prompt is None and not history:
            raise ValueError("there is neither a prompt nor a history to go on from")
        order = Order(
            history=history,
            opening=() if prompt is None else (as_user_message(prompt),),
            signal=signal,
            sink=sink,
            with_deltas=with_deltas,
            journal=journal,
        )
        return await Running(self._blueprint, order).go()

    def run_sync(
        self,
        prompt: str | UserMessage | None = None,
        *,
        history: Sequence[Message] = (),
        signal: AbortSignal | None = None,
        sink: EventSink | None = None,
    ) -> RunResult:
        """As `run`, for programs without an event loop. Raises RuntimeError inside one."""
        if is_in_event_loop():
            raise RuntimeError("run_sync was called inside a running event loop: write 'await agent.run(...)' there")
        return asyncio.run(self.run(prompt, history=history, signal=signal, sink=sink))

    def stream(
        self,
        prompt: str | UserMessage | None = None,
        *,
        history: Sequence[Message] = (),
        signal: AbortSignal | None = None,
    ) -> RunStream:
        """The events of one run as they happen; the stream's ``result()`` is the run's."""
        return RunStream(lambda sink, signal: self.run(prompt, history=history, sink=sink, signal=signal), signal)

    async def resume(
        self,
        result: RunResult,
        decisions: Mapping[str, Decision],
        *,
        signal: AbortSignal | None = None,
        sink: EventSink | None = None,
        with_deltas: bool = True,
        journal: Journal | None = None,
    ) -> RunResult:
        """Goes on with a run that ended with ``awaiting_approval``: `Allow`, `Deny`, `Modify` or `Answer` by call id.

        Calls without a decision are shown to the hooks again, and may wait again. The result counts the whole run.
        Raises ValueError when no call waits, or a decision is for another one.
        """
        check_decisions(result, decisions)
        order = Order(
            history=result.transcript.messages,
            decisions=decisions,
            earlier=result,
            signal=signal,
            sink=sink,
            with_deltas=with_deltas,
            journal=journal,
        )
        return await Running(self._blueprint, order).go()

    def session(self, history: Sequence[Message] = (), *, journal: Journal | None = None) -> Session:
        """A conversation that goes on over several runs."""
        return Session(self._blueprint, history, journal)

    def with_tool_sources(self, tool_sources: Sequence[ToolSource]) -> Agent:
        """The same agent with other sources of tools."""
        agent = copy(self)
        agent._blueprint = msgspec.structs.replace(self._blueprint, tool_sources=tuple(tool_sources))
        return agent

    def with_seed(self, seed: int) -> Agent:
        """The same agent, whose model is asked to draw by this seed, where its host takes one."""
        agent = copy(self)
        config = self._blueprint.config
        config = msgspec.structs.replace(config, sampling=msgspec.structs.replace(config.sampling, seed=seed))
        agent._blueprint = msgspec.structs.replace(self._blueprint, config=config)
        return agent

    def as_tool(
        self, name: str, description: str, *, label: str | None = None, timeout_s: float | None = None
    ) -> AgentTool:
        """A tool for another agent that runs this one on a prompt."""

        async def run(prompt: str, signal: AbortSignal) -> RunResult:
            return await self.run(prompt, signal=signal)

        return AgentTool(run, name, description, label=label, timeout_s=timeout_s)
