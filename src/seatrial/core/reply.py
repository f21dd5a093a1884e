"""The next reply of the model, with everything that may have to be done to get one."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from seatrial.core.ask import ask
from seatrial.core.compaction import Overflow, is_overflow, was_cut_silently
from seatrial.core.context import AgentContext
from seatrial.core.conversation import with_wire_names
from seatrial.core.events import MessageStarted, UserMessageAdded
from seatrial.core.history import is_empty_reply, repair_history
from seatrial.core.hooks import RequestChange, call_hook
from seatrial.core.messages import AssistantMessage
from seatrial.core.model import ModelInfo, ModelRequest
from seatrial.core.offering import Offering
from seatrial.core.scope import Scope
from seatrial.core.structured import StructuredAnswer
from seatrial.core.tool_errors import told


class Replies:
    """Gets one reply after the other. Those that led to nothing (empty, too long an input) are only recorded."""

    def __init__(self, scope: Scope, offering: Offering, structured: StructuredAnswer | None) -> None:
        self._scope = scope
        self._offering = offering
        self._structured = structured
        self._must_compact = False

    async def next(self) -> AssistantMessage:
        """A reply that says something, or one that failed. Raises `AbortedError` when it is aborted before asking."""
        if self._must_compact:
            await self._compact()
        reply = await self._ask()
        if is_overflow(reply, self._info) and await self._compact():
            reply = await self._ask()
        if _is_mute(reply):
            reply = await self._ask()
        self._must_compact = was_cut_silently(reply, self._info)
        if self._must_compact:
            self._scope.warn("the input was longer than the model's context window: it did not see all of it")
        return _as_failure(reply) if _is_mute(reply) else reply

    async def _ask(self) -> AssistantMessage:
        await self._offering.refresh()
        try:
            context = await self._changed(self._scope.context())
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the door of a hook
            self._scope.signal.raise_if_set()
            return AssistantMessage(
                stop_reason="error", error_message=f"the hook before the request failed: {told(error)}"
            )
        self._scope.emit(MessageStarted(self._scope.meter.turns))
        reply = await ask(self._request(context), self._scope)
        return reply if self._structured is None else self._structured.unwrapped(reply)

    def _request(self, context: AgentContext) -> ModelRequest:
        config, structured, specs = self._scope.config, self._structured, context.tools.specs
        return ModelRequest(
            system_prompt=context.system_prompt,
            messages=context.messages,
            tools=specs if structured is None else structured.offered(specs),
            sampling=config.sampling,
            response_schema=None if structured is None or specs else structured.schema,
        )

    async def _changed(self, context: AgentContext) -> AgentContext:
        for hook in self._scope.config.before_request:
            change = await call_hook(hook, context, self._scope.signal)
            if change is not None:
                context = self._with(context, change)
        return context

    def _with(self, context: AgentContext, change: RequestChange) -> AgentContext:
        if change.tools is not UNSET:
            self._offering.use_only(change.tools)
        tools = self._scope.state.tools
        messages = context.messages
        if change.messages is not UNSET:
            messages = tuple(with_wire_names(message, tools) for message in repair_history(change.messages))
        prompt = context.system_prompt if change.system_prompt is UNSET else change.system_prompt
        return AgentContext(prompt, messages, tools)

    async def _compact(self) -> bool:
        scope = self._scope
        if scope.config.compaction is None:
            return False

        async def ask_for_summary(request: ModelRequest) -> AssistantMessage:
            return await ask(request, scope, purpose="summary")

        overflow = Overflow(tuple(scope.state.messages), self._info, ask_for_summary)
        try:
            summary = await scope.signal.race(scope.config.compaction(overflow))
        except Exception as error:  # noqa: BLE001 - summing up is a hook
            scope.signal.raise_if_set()
            scope.warn(f"the conversation could not be summed up: {told(error)}")
            return False
        if summary is None:
            return False
        scope.conversation.add(summary)
        scope.emit(UserMessageAdded(summary))
        return True

    @property
    def _info(self) -> ModelInfo | None:
        return self._scope.state.model.info


def _is_mute(reply: AssistantMessage) -> bool:
    return reply.stop_reason in ("stop", "tool_calls") and is_empty_reply(reply)


def _as_failure(reply: AssistantMessage) -> AssistantMessage:
    return msgspec.structs.replace(
        reply,
        stop_reason="error",
        error_message="empty_response: the model answered with nothing, twice",
        error_code="empty_response",
    )
