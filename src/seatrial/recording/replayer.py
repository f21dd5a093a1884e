"""Answers the calls of one trial with what was recorded of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from seatrial.core.messages import AssistantMessage
from seatrial.core.model import ModelRequest, NoticeSink
from seatrial.core.tool import Tool, ToolContext, ToolOutput
from seatrial.errors import RetrievalError, RunError, ToolError
from seatrial.recording.answers import exception_of, output_of_call, reply_of, tell_pieces
from seatrial.recording.blobs import Blobs
from seatrial.recording.cassette import (
    Call,
    Cassette,
    ModelCall,
    RecordedTrial,
    ToolCallMade,
    VectorsCall,
    asked_in,
)
from seatrial.recording.differences import told_difference
from seatrial.recording.listings import Listings
from seatrial.recording.recorder import Recorder
from seatrial.recording.said import Asked, VectorsAsked, in_words, key_of, model_asked, tool_asked
from seatrial.recording.tape import AskModel, ListTools, RunTool
from seatrial.recording.timeline import Timeline

NOT_RECORDED = "not_recorded"


class Replayer:
    """A `Tape` that makes no call. ``missing`` says what was asked for and is not there, the first such thing only.

    ``mask`` blots out what is secret here: requests are compared without it. With ``recorder`` what is missing is
    called for real, and the trial is recorded anew as it goes.
    """

    def __init__(
        self,
        cassette: Cassette,
        trial: RecordedTrial,
        blobs: Blobs,
        listings: Listings,
        mask: Callable[[str], str],
        *,
        recorder: Recorder | None = None,
        has_live_tools: bool = False,
    ) -> None:
        self.missing: str | None = None
        self._blobs = blobs
        self._mask = mask
        self._recorder = recorder
        self._has_live_tools = has_live_tools
        self._asked = list(asked_in(trial, cassette))
        self._asked_by_number = {call.number: asked for call, asked in self._asked}
        self._unused: dict[str, deque[Call]] = {}
        self._used: set[int] = set()
        self._times_listed: dict[str, int] = {}
        self._listings = listings
        self._cassette = cassette
        self._trial = trial
        self._timeline = Timeline(trial.order)
        for call, asked in self._asked:
            self._unused.setdefault(mask(key_of(asked)), deque()).append(call)

    @property
    def unused(self) -> list[str]:
        """What was recorded and not asked for, in words. Tools that are live need not be recorded."""
        inside = {id(each) for call, _ in self._asked if isinstance(call, ToolCallMade) for each in call.inside}
        return [
            in_words(asked)
            for call, asked in self._asked
            if call.number not in self._used
            and not (self._has_live_tools and (isinstance(call, ToolCallMade) or id(call) in inside))
        ]

    async def ask(
        self, model: str, request: ModelRequest, live: AskModel, on_notice: NoticeSink | None, *, is_judge: bool
    ) -> AssistantMessage:
        """The recorded reply, told piece by piece as it was."""
        asked = model_asked(model, request, self._blobs)
        call = self._take(asked)
        recorder = self._recorder
        if recorder is not None and (call is None or _is_failure(call)):
            return await recorder.ask(model, request, live, on_notice, is_judge=is_judge)
        if not isinstance(call, ModelCall):
            return AssistantMessage(
                stop_reason="error", error_message=self._miss(asked), error_code=NOT_RECORDED, can_retry=False
            )
        try:
            reply = reply_of(call, self._blobs)
        except RunError as error:
            if recorder is not None:
                return await recorder.ask(model, request, live, on_notice, is_judge=is_judge)
            self._note_missing(error.message)
            return AssistantMessage(
                stop_reason="error", error_message=error.message, error_code=NOT_RECORDED, can_retry=False
            )
        if recorder is not None:
            recorder.keep(call, asked, in_grading=is_judge)
        tell_pieces(call, on_notice)
        return reply

    async def run(self, tool: Tool, arguments: dict[str, Any], live: RunTool, context: ToolContext) -> ToolOutput:
        """The recorded output, after everything that the tool told and called."""
        recorder = self._recorder
        if self._has_live_tools:
            return await (live(context) if recorder is None else recorder.run(tool, arguments, live, context))
        asked = tool_asked(tool.spec.name, arguments)
        call = self._take(asked)
        if recorder is not None and call is None:
            self._timeline.open()
            return await recorder.run(tool, arguments, live, context)
        if not isinstance(call, ToolCallMade):
            return ToolOutput.of_text(self._miss(asked), is_error=True)
        if recorder is None:
            await self._repeat_steps(call, context)
        else:
            with recorder.keeping(call, self._asked_by_number, context) as noting:
                await self._repeat_steps(call, noting)
        try:
            return output_of_call(call, self._blobs)
        except RunError as error:
            self._note_missing(error.message)
            return ToolOutput.of_text(error.message, is_error=True)

    async def list_tools(self, source: str, live: ListTools) -> Sequence[Tool]:
        """What the server listed then."""
        if self._has_live_tools:
            return await (live() if self._recorder is None else self._recorder.list_tools(source, live))
        number = self._times_listed[source] = self._times_listed.get(source, 0) + 1
        said = [one for one in self._trial.listings if one.source == source and one.asked <= number]
        if not said and self._recorder is not None:
            return await self._recorder.list_tools(source, live)
        if not said:
            self._note_missing(f"what {source} offers is not in the recording")
            return ()
        raised = said[-1].raised
        if raised is not None:
            raise exception_of(raised, ToolError)
        tools = self._listings.tools(said[-1], self._cassette, live)
        if self._recorder is not None:
            self._recorder.keep_listing(source, tools)
        return tools

    def embed(self, embedder: str, texts: Sequence[str], live: Callable[[], str]) -> str:
        """The recorded vectors. Raises `RetrievalError` where there are none."""
        asked = VectorsAsked(embedder, tuple(texts))
        call = self._take(asked)
        recorder = self._recorder
        if recorder is not None and (call is None or _is_failure(call)):
            return recorder.embed(embedder, texts, live)
        if not isinstance(call, VectorsCall):
            raise RetrievalError(self._miss(asked))
        if recorder is not None:
            recorder.keep(call, asked, in_grading=True)
        if call.raised is not None:
            raise exception_of(call.raised, RetrievalError)
        return call.vectors

    def _take(self, asked: Asked) -> Call | None:
        """The next recording of exactly this. After something was missing nothing is told any more."""
        if self.missing is not None and self._recorder is None:
            return None
        waiting = self._unused.get(self._mask(key_of(asked)))
        while waiting:
            call = waiting.popleft()
            if call.number not in self._used:
                self._used.add(call.number)
                return call
        return None

    async def _repeat_steps(self, call: ToolCallMade, context: ToolContext) -> None:
        await self._timeline.pass_step(call.number)
        for step in call.steps:
            if isinstance(step, str):
                await self._timeline.pass_step(call.number)
                context.update(step)
            elif context.run_tool is not None:
                await context.run_tool(step.tool, step.arguments)
        self._used.update(_numbers_inside(call))
        await self._timeline.pass_step(call.number)

    def _miss(self, asked: Asked) -> str:
        if self.missing is None:
            masked = [one for _, one in self._asked]
            self._note_missing(f"{in_words(asked)} is not in the recording: {told_difference(asked, masked)}")
        return self.missing or ""

    def _note_missing(self, what: str) -> None:
        if self.missing is None:
            self.missing = self._mask(what)
        self._timeline.open()


def _is_failure(call: Call) -> bool:
    """Whether the outside world failed when this was recorded: then another call may do better."""
    if isinstance(call, ModelCall) and call.reply is not None:
        return call.reply.stop_reason == "error"
    return not isinstance(call, ToolCallMade) and call.raised is not None


def _numbers_inside(call: ToolCallMade) -> set[int]:
    numbers = {each.number for each in call.inside}
    return numbers.union(*(_numbers_inside(each) for each in call.inside if isinstance(each, ToolCallMade)))
