"""Makes the calls of one trial for real, and notes them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

from seatrial.core.messages import AssistantMessage
from seatrial.core.model import ModelNotice, ModelRequest, NoticeSink, TextDelta
from seatrial.core.tool import Tool, ToolContext, ToolOutput, leaves_out_null, max_output_of
from seatrial.core.tool_errors import details_of, told
from seatrial.core.values import plain
from seatrial.errors import ProviderError
from seatrial.recording.blobs import Blobs
from seatrial.recording.cassette import (
    Call,
    ListedTool,
    ModelCall,
    Output,
    Raised,
    Reply,
    ToolCallMade,
    ToolRequest,
    VectorsCall,
)
from seatrial.recording.open_calls import OpenCall, OpenListing, OpenTrial, Strands
from seatrial.recording.said import Asked, VectorsAsked, model_asked, tool_asked
from seatrial.recording.tables import Tables
from seatrial.recording.tape import AskModel, ListTools, RunTool

# The tool call within which another call is made; its calls are noted inside of it.
_around: ContextVar[OpenCall | None] = ContextVar("seatrial_call_around", default=None)


class Recorder:
    """A `Tape` that calls the real thing. What does not come to its end is not kept."""

    def __init__(self, variant: str, repeat: int, blobs: Blobs) -> None:
        self.trial = OpenTrial(variant, repeat)
        self._blobs = blobs
        self._strands = Strands()
        self._listed: dict[str, Sequence[Tool] | None] = {}
        self._times_listed: dict[str, int] = {}

    async def ask(
        self, model: str, request: ModelRequest, live: AskModel, on_notice: NoticeSink | None, *, is_judge: bool
    ) -> AssistantMessage:
        """The real model's reply."""
        call = self.begin(model_asked(model, request, self._blobs), in_grading=is_judge)

        def hear(notice: ModelNotice) -> None:
            call.stream.append(notice.text if isinstance(notice, TextDelta) else notice)
            if on_notice is not None:
                on_notice(notice)

        try:
            message = await live(None if on_notice is None else hear)
        except Exception as error:
            call.raised, call.is_over = raised_by(error), True
            raise
        if isinstance(message, AssistantMessage) and message.stop_reason != "aborted":
            call.reply, call.is_over = self._reply(message), True
        return message

    async def run(self, tool: Tool, arguments: dict[str, Any], live: RunTool, context: ToolContext) -> ToolOutput:
        """The real tool's output."""
        call = self.begin(tool_asked(tool.spec.name, arguments))
        self.trial.order.append(call)
        outside = _around.set(call)
        try:
            output = await live(self._listening(call, context))
        except Exception as error:
            call.raised, call.is_over = raised_by(error), True
            raise
        else:
            if isinstance(output, ToolOutput):
                call.output, call.is_over = self._output(output), True
        finally:
            _around.reset(outside)
            self.trial.order.append(call)
        return output

    async def list_tools(self, source: str, live: ListTools) -> Sequence[Tool]:
        """What the real server lists."""
        number = self._times_listed[source] = self._times_listed.get(source, 0) + 1
        try:
            tools = await live()
        except Exception as error:
            self.trial.listings.append(OpenListing(source, lambda _tables: (), number, raised_by(error)))
            self._listed[source] = None
            raise
        if tools is not self._listed.get(source):
            self._listed[source] = tools
            self.trial.listings.append(OpenListing(source, _as_listed(tools), number))
        return tools

    def embed(self, embedder: str, texts: Sequence[str], live: Callable[[], str]) -> str:
        """The real embedder's vectors."""
        call = self.begin(VectorsAsked(embedder, tuple(texts)), in_grading=True)
        try:
            vectors = live()
        except Exception as error:
            call.raised, call.is_over = raised_by(error), True
            raise
        call.vectors, call.is_over = vectors, True
        return vectors

    def begin(self, asked: Asked, *, in_grading: bool = False) -> OpenCall:
        """Notes a call where it begins: inside of the tool that makes it, if one does."""
        call = OpenCall(asked)
        around = _around.get()
        if around is not None:
            around.inside.append(call)
        elif in_grading:
            call.strand = self._strands.current()
            self.trial.grading.append(call)
        else:
            self.trial.calls.append(call)
        return call

    def keep(self, call: ModelCall | VectorsCall, asked: Asked, *, in_grading: bool) -> None:
        """Notes a call that was answered from an earlier recording."""
        _fill(self.begin(asked, in_grading=in_grading), call, {})

    @contextmanager
    def keeping(
        self, call: ToolCallMade, asked_by_number: Mapping[int, Asked], context: ToolContext
    ) -> Iterator[ToolContext]:
        """Notes such a tool call, with all that was inside of it; the block repeats its steps in the given context."""
        kept = self.begin(asked_by_number[call.number])
        self.trial.order.append(kept)
        outside = _around.set(OpenCall(kept.asked))  # what is repeated in it is noted already
        try:
            yield replace(context, update=self._noting_when(kept, context.update))
        finally:
            _around.reset(outside)
            _fill(kept, call, asked_by_number)
            self.trial.order.append(kept)

    def keep_listing(self, source: str, tools: Sequence[Tool]) -> None:
        """Notes such a list."""
        number = self._times_listed[source] = self._times_listed.get(source, 0) + 1
        if tools is not self._listed.get(source):
            self._listed[source] = tools
            self.trial.listings.append(OpenListing(source, _as_listed(tools), number))

    def _listening(self, call: OpenCall, context: ToolContext) -> ToolContext:
        """The context that notes what the tool tells of itself and which tools it calls."""

        tell = self._noting_when(call, context.update)

        def update(text: str) -> None:
            call.steps.append(text)
            tell(text)

        run_tool = context.run_tool
        if run_tool is None:
            return replace(context, update=update)

        def run(name: str, arguments: dict[str, Any]) -> Awaitable[ToolOutput]:
            call.steps.append(ToolRequest(name, plain(arguments)))
            output: Awaitable[ToolOutput] = run_tool(name, arguments)
            return output

        return replace(context, update=update, run_tool=run)

    def _noting_when(self, call: OpenCall, update: Callable[[str], None]) -> Callable[[str], None]:
        loop, home = asyncio.get_running_loop(), threading.get_ident()

        def tell(text: str) -> None:
            if threading.get_ident() == home:
                self.trial.order.append(call)
            elif not loop.is_closed():  # it is told in the loop's own time
                loop.call_soon_threadsafe(self.trial.order.append, call)
            update(text)

        return tell

    def _reply(self, message: AssistantMessage) -> Reply:
        fields = {name: getattr(message, name) for name in Reply.__struct_fields__}
        return Reply(**(fields | {"content": self._blobs.named(message.content)}))

    def _output(self, output: ToolOutput) -> Output:
        fields = {name: getattr(output, name) for name in Output.__struct_fields__}
        changed = {"content": self._blobs.named(output.content), "details": plain(output.details)}
        return Output(**(fields | changed))


def raised_by(error: Exception) -> Raised:
    """The exception in words, with what its kind has to tell."""
    message = told(error)
    if isinstance(error, ProviderError):
        return Raised(message, is_provider=True, code=error.code, can_retry=error.can_retry)
    return Raised(message, details=plain(details_of(error)))


def _fill(kept: OpenCall, call: Call, asked_by_number: Mapping[int, Asked]) -> None:
    """Puts into a call what an earlier recording holds of it."""
    kept.is_over = True
    kept.raised = call.raised
    if isinstance(call, ModelCall):
        kept.reply, kept.stream = call.reply, list(call.stream)
    elif isinstance(call, VectorsCall):
        kept.vectors = call.vectors
    else:
        kept.output, kept.steps = call.output, list(call.steps)
        for inner in call.inside:
            kept.inside.append(OpenCall(asked_by_number[inner.number]))
            _fill(kept.inside[-1], inner, asked_by_number)


def _as_listed(tools: Sequence[Tool]) -> Callable[[Tables], Sequence[ListedTool]]:
    def close(tables: Tables) -> Sequence[ListedTool]:
        return [
            ListedTool(
                spec=tables.place_of_tool(tool.spec),
                label=tool.label,
                execution_mode=tool.execution_mode,
                timeout_s=tool.timeout_s,
                max_output_chars=max_output_of(tool),
                leaves_out_null=leaves_out_null(tool),
            )
            for tool in tools
        ]

    return close
