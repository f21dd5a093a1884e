"""Hooks: functions of the user's that may change what happens."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from seatrial.core.abort import AbortSignal
from seatrial.core.content import ResultBlock, TextContent, ToolCall
from seatrial.core.context import AgentContext
from seatrial.core.threads import in_thread
from seatrial.core.tool import Tool, ToolOutput

A = TypeVar("A")
R = TypeVar("R")
H = TypeVar("H")


class Allow(msgspec.Struct, frozen=True, tag=True):
    """Run the call; the same as returning None."""


class Deny(msgspec.Struct, frozen=True, tag=True):
    """Do not run the call; the model gets ``reason`` as an error."""

    reason: str = ""


class Modify(msgspec.Struct, frozen=True, tag=True):
    """Run the call with these arguments; they are checked like the model's own."""

    arguments: dict[str, Any]


class Answer(msgspec.Struct, frozen=True, tag=True):
    """Do not run the call; this is its result."""

    content: str | tuple[ResultBlock, ...]
    details: Any = None
    is_error: bool = False

    @property
    def blocks(self) -> tuple[ResultBlock, ...]:
        """The content as blocks."""
        return (TextContent(self.content),) if isinstance(self.content, str) else tuple(self.content)


class Ask(msgspec.Struct, frozen=True, tag=True):
    """Wait for a person: the run ends with ``awaiting_approval`` and goes on with `Agent.resume`."""

    reason: str = ""


class Replace(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an after-hook changes in a result, field by field; what is not given stays."""

    content: str | Sequence[ResultBlock] | UnsetType = UNSET
    details: Any = UNSET
    is_error: bool | UnsetType = UNSET
    should_terminate: bool | UnsetType = UNSET
    added_tool_names: Sequence[str] | UnsetType | None = UNSET


class RequestChange(msgspec.Struct, frozen=True):
    """What a request-hook changes: ``tools`` from now on, the other two for this request only."""

    tools: Sequence[Tool] | UnsetType = UNSET
    system_prompt: str | UnsetType = UNSET
    messages: Sequence[Any] | UnsetType = UNSET


class CallAhead(msgspec.Struct, frozen=True):
    """A call that is about to run: ``arguments`` are checked and coerced, and perhaps changed by earlier hooks."""

    call: ToolCall
    tool: Tool
    arguments: dict[str, Any]
    context: AgentContext
    signal: AbortSignal


class CallDone(msgspec.Struct, frozen=True):
    """A call that ran, and what it gave."""

    call: ToolCall
    tool: Tool
    arguments: dict[str, Any]
    output: ToolOutput
    context: AgentContext
    signal: AbortSignal


Decision = Allow | Deny | Modify | Answer | Ask
BeforeToolCall = Callable[[CallAhead], Decision | Awaitable[Decision | None] | None]
AfterToolCall = Callable[[CallDone], Replace | Awaitable[Replace | None] | None]
BeforeRequest = Callable[[AgentContext], RequestChange | Awaitable[RequestChange | None] | None]


class Hooks(msgspec.Struct, frozen=True):
    """One hook or several of each kind, plain or async functions; a plain one runs in a thread of its own.

    ``before_tool_call`` in the order given; the first that denies, answers or asks decides. One that raises denies.
    ``after_tool_call`` in reverse order; one that raises makes the result an error. ``before_request`` may change what
    the model is sent; one that raises ends the run.
    """

    before_tool_call: BeforeToolCall | Sequence[BeforeToolCall] = ()
    after_tool_call: AfterToolCall | Sequence[AfterToolCall] = ()
    before_request: BeforeRequest | Sequence[BeforeRequest] = ()


def as_tuple(hooks: H | Sequence[H]) -> tuple[H, ...]:
    """The hooks as a tuple, also where one stands alone."""
    return tuple(hooks) if isinstance(hooks, Sequence) else (hooks,)


async def call_hook(hook: Callable[[A], Any], argument: A, signal: AbortSignal) -> Any:
    """What the hook says. Raises what it raises, and `AbortedError` as soon as the signal is set.

    A hook that asks Python to exit raises RuntimeError: it must not take the run with it.
    """
    return await signal.race(_asked(hook, argument))


async def _asked(hook: Callable[[A], Any], argument: A) -> Any:
    try:
        if inspect.iscoroutinefunction(hook) or inspect.iscoroutinefunction(type(hook).__call__):
            return await hook(argument)
        answer = await in_thread(hook, argument)
        return await answer if inspect.isawaitable(answer) else answer
    except (SystemExit, KeyboardInterrupt) as error:
        raise RuntimeError(f"{type(error).__name__}: {error}".rstrip(": ")) from error
