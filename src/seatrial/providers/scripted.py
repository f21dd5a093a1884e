"""A model that says what a script tells it to: for tests, demos and reproducing a bug."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from seatrial.core.abort import AbortSignal
from seatrial.core.content import AssistantBlock, ReasoningContent, TextContent, ToolCall
from seatrial.core.messages import AssistantMessage, StopReason, UserMessage, utc_now
from seatrial.core.model import (
    ModelInfo,
    ModelNotice,
    ModelRequest,
    NoticeSink,
    ReasoningDelta,
    TextDelta,
    ToolCallDelta,
)
from seatrial.core.usage import UNKNOWN_USAGE, Usage
from seatrial.errors import AbortedError
from seatrial.providers.base import ProviderOptions
from seatrial.providers.script_file import ScriptedReply, read_script

SCRIPT_OVER = "script_over"
Reply = AssistantMessage | Callable[[ModelRequest], AssistantMessage | Awaitable[AssistantMessage]] | BaseException


class ScriptedModel:
    """Answers request after request with its replies, in order; what it was asked stands in ``requests``.

    A reply is a message, an exception to raise, or a function of the request (plain or async) that makes the message.
    With ``by_position`` the reply is chosen by the number of assistant messages already in the request, so that many
    conversations can follow one script at once (then ``requests`` stays empty). After the last reply it answers with
    an error.
    """

    def __init__(
        self,
        replies: Sequence[Reply],
        *,
        name: str = "scripted",
        info: ModelInfo | None = None,
        by_position: bool = False,
    ) -> None:
        self.provider = "scripted"
        self.name = name
        self.info = info
        self.requests: list[ModelRequest] = []
        self._replies = tuple(replies)
        self._by_position = by_position

    async def respond(
        self, request: ModelRequest, *, on_notice: NoticeSink | None = None, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        """The next reply of the script, told piece by piece where ``on_notice`` is given."""
        position = self._next_position(request)
        if signal is not None and signal.is_set:
            return self._signed(AssistantMessage(stop_reason="aborted"), position)
        try:
            message = self._signed(await self._reply_to(request, position, signal), position)
        except AbortedError:
            return self._signed(AssistantMessage(stop_reason="aborted"), position)
        if on_notice is not None:
            for notice in _notices_of(message):
                on_notice(notice)
        return message

    async def close(self) -> None:
        """Nothing to free."""

    def _next_position(self, request: ModelRequest) -> int:
        if self._by_position:
            return _assistant_count(request)
        self.requests.append(request)
        return len(self.requests) - 1

    async def _reply_to(self, request: ModelRequest, position: int, signal: AbortSignal | None) -> AssistantMessage:
        if position >= len(self._replies):
            count = len(self._replies)
            has = f"{count} {'reply' if count == 1 else 'replies'}"
            over = f"the script is over: it has {has}, this is request {position + 1}"
            return fails(over, error_code=SCRIPT_OVER)
        reply = self._replies[position]
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, AssistantMessage):
            return reply
        made = reply(request)
        if not inspect.isawaitable(made):
            return made
        waiting = asyncio.ensure_future(made)
        return await (waiting if signal is None else signal.race(waiting))

    def _signed(self, message: AssistantMessage, position: int) -> AssistantMessage:
        return msgspec.structs.replace(
            message,
            content=_with_ids(message.content, position),
            provider=message.provider or self.provider,
            api=message.api or "scripted",
            model=message.model or self.name,
            timestamp=utc_now(),
        )


def scripted(*replies: Reply | str, info: ModelInfo | None = None) -> ScriptedModel:
    """A model that gives these replies one after the other; a string is an answer of that text."""
    return ScriptedModel([says(reply) if isinstance(reply, str) else reply for reply in replies], info=info)


def says(
    text: str, *, reasoning: str = "", usage: Usage = UNKNOWN_USAGE, stop_reason: StopReason = "stop"
) -> AssistantMessage:
    """A reply of text."""
    blocks: tuple[AssistantBlock, ...] = (TextContent(text),) if text else ()
    if reasoning:
        blocks = (ReasoningContent(reasoning), *blocks)
    return AssistantMessage(content=blocks, usage=usage, stop_reason=stop_reason)


def calls(name: str, /, **arguments: Any) -> AssistantMessage:
    """A reply that calls one tool."""
    return calls_many((name, arguments))


def calls_many(
    *wanted: tuple[str, dict[str, Any]] | ToolCall,
    text: str = "",
    usage: Usage = UNKNOWN_USAGE,
    stop_reason: StopReason = "tool_calls",
) -> AssistantMessage:
    """A reply that calls several tools, each given as ``(name, arguments)`` or as a whole `ToolCall`."""
    blocks = [call if isinstance(call, ToolCall) else ToolCall("", call[0], call[1]) for call in wanted]
    leading = (TextContent(text),) if text else ()
    return AssistantMessage(content=(*leading, *blocks), usage=usage, stop_reason=stop_reason)


def fails(error_message: str, *, error_code: str | None = None, can_retry: bool = False) -> AssistantMessage:
    """A reply of a provider that failed."""
    return AssistantMessage(
        stop_reason="error", error_message=error_message, error_code=error_code, can_retry=can_retry
    )


class ConversationsModel:
    """Follows the first of several scripts whose ``when`` occurs in the first user message (in any case)."""

    def __init__(
        self, scripts: Sequence[tuple[str, ScriptedModel]], *, name: str = "scripted", info: ModelInfo | None = None
    ) -> None:
        self.provider = "scripted"
        self.name = name
        self.info = info
        self._scripts = tuple(scripts)

    async def respond(
        self, request: ModelRequest, *, on_notice: NoticeSink | None = None, signal: AbortSignal | None = None
    ) -> AssistantMessage:
        """The next reply of the script that the conversation follows."""
        opening = next((message.text for message in request.messages if isinstance(message, UserMessage)), "")
        for when, script in self._scripts:
            if when.casefold() in opening.casefold():
                return await script.respond(request, on_notice=on_notice, signal=signal)
        lost = fails(f"no conversation in the script begins with {opening[:80]!r}", error_code=SCRIPT_OVER)
        return msgspec.structs.replace(lost, provider=self.provider, model=self.name)

    async def close(self) -> None:
        """Nothing to free."""


def from_options(options: ProviderOptions) -> ScriptedModel | ConversationsModel:
    """The script in the JSON file that ``name`` gives, relative to the agent file's folder.

    The file is a list of replies, each a string or an object with ``text``, ``reasoning``, ``calls`` (``name``,
    ``arguments``), ``error`` and ``usage``; or an object with ``conversations``, each with ``when`` (words of the
    first user message, ``""`` for any) and ``replies``. Raises `ConfigError` that says where the file is wrong.
    """
    scripts = [
        (script.when, _follow(script.replies, options)) for script in read_script(Path(options.folder, options.name))
    ]
    if len(scripts) == 1 and scripts[0][0] is None:
        return scripts[0][1]
    return ConversationsModel([(when or "", script) for when, script in scripts], name=options.name, info=options.info)


def _follow(replies: Sequence[ScriptedReply | str], options: ProviderOptions) -> ScriptedModel:
    messages = [says(reply) if isinstance(reply, str) else _message(reply) for reply in replies]
    return ScriptedModel(messages, name=options.name, info=options.info, by_position=True)


def _message(reply: ScriptedReply) -> AssistantMessage:
    if reply.error is not None:
        return fails(reply.error)
    if reply.calls:
        wanted = [(call.name, call.arguments) for call in reply.calls]
        return calls_many(*wanted, text=reply.text, usage=reply.usage)
    return says(reply.text, reasoning=reply.reasoning, usage=reply.usage)


def _assistant_count(request: ModelRequest) -> int:
    return sum(isinstance(message, AssistantMessage) for message in request.messages)


def _with_ids(blocks: tuple[AssistantBlock, ...], position: int) -> tuple[AssistantBlock, ...]:
    named: list[AssistantBlock] = []
    for place, block in enumerate(blocks):
        if isinstance(block, ToolCall) and not block.id:
            block = msgspec.structs.replace(block, id=f"call_{position + 1}_{place + 1}")
        named.append(block)
    return tuple(named)


def _notices_of(message: AssistantMessage) -> list[ModelNotice]:
    notices: list[ModelNotice] = []
    call_position = 0
    for block in message.content:
        if isinstance(block, TextContent):
            notices += [TextDelta(word) for word in re.findall(r"\S+\s*|\s+", block.text)]
        elif isinstance(block, ReasoningContent):
            notices.append(ReasoningDelta(block.text))
        elif isinstance(block, ToolCall):
            arguments_text = msgspec.json.encode(block.arguments).decode()
            notices.append(ToolCallDelta(call_position, block.name, arguments_text))
            call_position += 1
    return notices
