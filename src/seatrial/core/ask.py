"""One request to the model, and what came of it whatever happens."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Any, assert_never

from seatrial.core.content import AssistantBlock, ReasoningContent, TextContent
from seatrial.core.events import (
    MessageEnded,
    MessageReasoningDelta,
    MessageTextDelta,
    MessageTextWasReasoning,
    MessageToolCallDelta,
    RetryScheduled,
)
from seatrial.core.messages import AssistantMessage
from seatrial.core.model import (
    ModelNotice,
    ModelRequest,
    ReasoningDelta,
    RetryNotice,
    TextDelta,
    TextWasReasoning,
    ToolCallDelta,
    stops_itself,
)
from seatrial.core.receipt import received, record
from seatrial.core.scope import Scope
from seatrial.core.tool_errors import told
from seatrial.core.waiting import STOP_WAIT_S, give_up, wait_for_all
from seatrial.errors import ProviderError


async def ask(request: ModelRequest, scope: Scope, *, purpose: str = "turn") -> AssistantMessage:
    """The model's reply, counted and recorded; a failure of any kind is a reply that says so.

    After an abort it is a reply with ``stop_reason="aborted"`` that holds the text that had come until then. When the
    task is cancelled, so is the request.
    """
    is_told = purpose == "turn" and scope.sink is not None and scope.with_deltas
    started = perf_counter()
    heard = _Heard(scope) if is_told else None
    respond = _respond_here if stops_itself(scope.state.model) else _respond_watched
    message = received(await respond(request, scope, heard), scope)
    record(message, perf_counter() - started, scope, purpose)
    return message


class _Heard:
    """What of a reply has come so far, passed on as it comes."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._text: list[str] = []
        self._reasoning: list[str] = []

    def __call__(self, notice: ModelNotice) -> None:
        match notice:
            case TextDelta(text):
                self._text.append(text)
                self._scope.emit(MessageTextDelta(text))
            case TextWasReasoning():
                self._reasoning += self._text
                self._text.clear()
                self._scope.emit(MessageTextWasReasoning())
            case ReasoningDelta(text):
                self._reasoning.append(text)
                self._scope.emit(MessageReasoningDelta(text))
            case ToolCallDelta(position, name, arguments_text):
                self._scope.emit(MessageToolCallDelta(position, self._scope.state.tools.name_of(name), arguments_text))
            case RetryNotice(attempt, delay_s, reason):
                self._scope.emit(RetryScheduled(attempt, delay_s, reason))
            case _:
                assert_never(notice)

    def content(self) -> tuple[AssistantBlock, ...]:
        """The reasoning and the text heard, as blocks."""
        blocks: list[AssistantBlock] = []
        if self._reasoning:
            blocks.append(ReasoningContent("".join(self._reasoning)))
        if self._text:
            blocks.append(TextContent("".join(self._text)))
        return tuple(blocks)


async def _respond_here(request: ModelRequest, scope: Scope, heard: _Heard | None) -> AssistantMessage:
    """The reply of a model that ends by itself when stop is said; a task of its own would cost more than it gives."""
    try:
        return await _guarded(request, scope, heard)
    except asyncio.CancelledError:
        if _is_being_cancelled():
            _keep_partial(scope, heard)
            raise
        return _cancelled_from_within(scope, heard)


async def _respond_watched(request: ModelRequest, scope: Scope, heard: _Heard | None) -> AssistantMessage:
    """The reply of a model that may not stop: it has a task of its own, so that it can be left behind."""
    task = asyncio.ensure_future(_guarded(request, scope, heard))
    name = _request_name(scope)
    try:
        if not await wait_for_all((task,), scope.signal):
            await asyncio.wait((task,), timeout=STOP_WAIT_S)
    except asyncio.CancelledError:
        give_up(task, name)
        _keep_partial(scope, heard)
        raise
    if not task.done():
        give_up(task, name)
        return _made_here(scope, heard, stop_reason="aborted")
    return _cancelled_from_within(scope, heard) if task.cancelled() else task.result()


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _request_name(scope: Scope) -> str:
    return f"a request to {scope.state.model.name}"


def _cancelled_from_within(scope: Scope, heard: _Heard | None) -> AssistantMessage:
    why = f"{_request_name(scope)} was cancelled from within"
    return _made_here(scope, heard, stop_reason="error", error_message=why)


def _keep_partial(scope: Scope, heard: _Heard | None) -> None:
    """Puts what was heard of the reply into the history, for the reader: the task that waits for it is cancelled."""
    if heard is not None and heard.content():
        message = received(_made_here(scope, heard, stop_reason="aborted"), scope)
        scope.conversation.add(message)
        scope.emit(MessageEnded(message))


async def _guarded(request: ModelRequest, scope: Scope, heard: _Heard | None) -> AssistantMessage:
    try:
        reply = await scope.state.model.respond(request, on_notice=heard, signal=scope.signal)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the door of a request
        if scope.signal.is_set:
            return _made_here(scope, heard, stop_reason="aborted")
        details = {}
        if isinstance(error, ProviderError):
            details = {"error_code": error.code, "can_retry": error.can_retry}
        return _made_here(scope, heard, stop_reason="error", error_message=told(error), **details)
    return _checked(reply, scope)


def _checked(reply: object, scope: Scope) -> AssistantMessage:
    if isinstance(reply, AssistantMessage):
        return reply
    why = f"the model {scope.state.model.name} gave {type(reply).__name__} instead of an AssistantMessage"
    return _made_here(scope, None, stop_reason="error", error_message=why)


def _made_here(scope: Scope, heard: _Heard | None, **ending: Any) -> AssistantMessage:
    model = scope.state.model
    content = () if heard is None else heard.content()
    return AssistantMessage(content=content, provider=model.provider, model=model.name, **ending)
