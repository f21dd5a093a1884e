"""The loop: ask, run the tools that the reply calls, ask again, until there is a reason to stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from seatrial.core.content import ToolCall
from seatrial.core.dispatch import Batch, close_calls, dispatch
from seatrial.core.events import MessageEnded, TurnEnded, TurnStarted, UserMessageAdded
from seatrial.core.history import clean_message
from seatrial.core.hooks import Decision
from seatrial.core.inbox import Inbox
from seatrial.core.messages import AssistantMessage, StopReason, UserMessage
from seatrial.core.offering import Offering
from seatrial.core.reply import Replies
from seatrial.core.result import PendingApproval
from seatrial.core.scope import Scope
from seatrial.core.structured import StructuredAnswer
from seatrial.errors import AbortedError

MAX_CUT_REPLIES = 3
NOT_RUN = {
    "aborted": "Not run: the run was aborted.",
    "incomplete": "Not run: the reply broke off before its end.",
    "error": "Not run: the reply failed.",
    "refusal": "Not run: the model refused.",
    "content_filter": "Not run: a content filter stopped the reply.",
    "length": "Not run: the reply was cut off at its length limit, so the arguments may be incomplete. "
    "Send the call again, shorter.",
}


class Ending(msgspec.Struct, frozen=True):
    """Why a run stops."""

    stop_reason: StopReason
    limit: str | None = None
    error_message: str | None = None
    error_code: str | None = None
    approvals: tuple[PendingApproval, ...] = ()


class Loop:
    """One run from its first message to its ending. ``output`` is the value of a structured answer."""

    def __init__(self, scope: Scope, inbox: Inbox, offering: Offering) -> None:
        schema = scope.config.response_schema
        self.output: Any = None
        self._scope = scope
        self._inbox = inbox
        self._offering = offering
        self._structured = None if schema is None else StructuredAnswer(schema)
        self._replies = Replies(scope, offering, self._structured)
        self._cut_replies = 0

    async def run(
        self, opening: Sequence[UserMessage], calls: Sequence[ToolCall], decisions: Mapping[str, Decision]
    ) -> Ending:
        """Runs until there is an ending. ``calls`` are open calls of the history, run before the first request."""
        try:
            ending = await self._finish_calls(calls, decisions) if calls else None
            for message in opening:
                self._say(message)
            while ending is None:
                ending = await self._turn()
        except AbortedError:
            ending = self._stopped()
        return ending

    async def _finish_calls(self, calls: Sequence[ToolCall], decisions: Mapping[str, Decision]) -> Ending | None:
        batch = await dispatch(calls, self._scope, decisions, is_resumed=True)
        self._scope.conversation.prepare()
        return self._after(batch)

    async def _turn(self) -> Ending | None:
        scope = self._scope
        if scope.signal.is_set:
            return self._stopped()
        limit = scope.meter.limit_before_request()
        if limit is not None:
            return Ending("limit", limit)
        scope.meter.turns += 1
        scope.emit(TurnStarted(scope.meter.turns))
        try:
            for message in self._inbox.take_steering():
                self._say(message)
            reply = await self._replies.next()
            scope.conversation.add(reply)
            scope.emit(MessageEnded(reply))
            return await self._act_on(reply)
        finally:
            scope.emit(TurnEnded(scope.meter.turns))

    async def _act_on(self, reply: AssistantMessage) -> Ending | None:
        scope, calls = self._scope, reply.tool_calls
        if reply.stop_reason in NOT_RUN:
            close_calls(calls, NOT_RUN[reply.stop_reason], scope)
            return self._after_failure(reply)
        if not calls:
            return self._after_answer(reply)
        self._cut_replies = 0
        limit = scope.meter.spent_limit()
        if limit is not None:
            close_calls(calls, f"Not run: the limit {limit} is reached.", scope)
            return Ending("limit", limit)
        return self._after(await dispatch(calls, scope))

    def _after_failure(self, reply: AssistantMessage) -> Ending | None:
        if self._scope.signal.is_set:
            return self._stopped()
        if reply.stop_reason == "length" and reply.tool_calls:
            self._cut_replies += 1
            return Ending("length") if self._cut_replies == MAX_CUT_REPLIES else None
        if reply.stop_reason == "length":
            return Ending("length")
        words = reply.text if reply.stop_reason in ("refusal", "content_filter") else ""
        why = reply.error_message or words or reply.stop_reason
        self._scope.state.error_message = why
        return Ending(reply.stop_reason, error_message=why, error_code=reply.error_code)

    def _after_answer(self, reply: AssistantMessage) -> Ending | None:
        if self._scope.signal.is_set:
            return self._stopped()
        if self._structured is not None:
            answer = self._structured.read(reply.text)
            if answer.problem is not None:
                return self._correct(answer.problem, self._structured)
            self.output = answer.value
        if self._scope.meter.limit_before_request() is None:
            messages = self._inbox.take_next()
            for message in messages:
                self._say(message)
            if messages:
                return None
        return Ending("stop")

    def _correct(self, problem: str, structured: StructuredAnswer) -> Ending | None:
        if structured.corrections_left == 0:
            why = f"the answer does not fit the required form: {problem}"
            self._scope.state.error_message = why
            return Ending("error", error_message=why, error_code="invalid_answer")
        structured.corrections_left -= 1
        self._say(UserMessage(structured.correction(problem)))
        return None

    def _after(self, batch: Batch) -> Ending | None:
        for result in batch.results:
            self._offering.add_named_in(result)
        if batch.approvals:
            return Ending("awaiting_approval", approvals=tuple(batch.approvals))
        if self._scope.meter.refused_tool_calls:
            return Ending("limit", "max_tool_calls")
        return Ending("terminated") if batch.wants_end else None

    def _stopped(self) -> Ending:
        reason = self._scope.signal.reason or "aborted"
        if reason == "timeout_s":
            return Ending("limit", "timeout_s")
        return Ending("aborted", error_message=None if reason == "aborted" else reason)

    def _say(self, message: UserMessage) -> None:
        message = clean_message(message)
        self._scope.conversation.add(message)
        self._scope.emit(UserMessageAdded(message))
