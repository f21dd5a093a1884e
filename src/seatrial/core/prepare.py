"""A call before it runs: looked up, read, checked, and shown to the hooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from seatrial.core.content import ResultBlock, TextContent, ToolCall
from seatrial.core.hooks import Allow, Answer, Ask, CallAhead, Decision, Deny, Modify, call_hook
from seatrial.core.messages import ToolResultMessage
from seatrial.core.result import PendingApproval
from seatrial.core.schema import check_tool_arguments
from seatrial.core.scope import Scope
from seatrial.core.text import clean_blocks, clean_text, excerpt
from seatrial.core.tool import Tool
from seatrial.core.tool_errors import failed_hook, told
from seatrial.core.values import plain
from seatrial.errors import ToolArgumentError

RAW_EXCERPT_BYTES = 1000
READING_ERROR_BYTES = 700


class ReadyCall(msgspec.Struct, frozen=True):
    """A call that may run. ``arguments`` are the tool's own copy; ``differs`` when they are not the call's."""

    call: ToolCall
    tool: Tool
    arguments: dict[str, Any]
    differs: bool = False


Prepared = ReadyCall | PendingApproval | ToolResultMessage


async def prepare(call: ToolCall, scope: Scope, decisions: Mapping[str, Decision]) -> Prepared:
    """The call ready to run, or waiting for a person, or its result when it is not to run.

    A decision takes the place of a hook's `Ask`; what other hooks say still counts.
    """
    tool = scope.state.tools.get(call.name)
    if tool is None:
        return refused(call, scope.state.tools.unknown(call.name))
    if call.arguments_error is not None:
        return refused(call, _unreadable(call, call.arguments_error))
    try:
        arguments = _checked(call, tool, call.arguments, scope)
    except ToolArgumentError as error:
        return refused(call, error.message)
    if not scope.meter.take_tool_call():
        return refused(call, f"Not run: the limit of {scope.config.limits.max_tool_calls} tool calls is reached.")
    prepared = await _after_hooks(ReadyCall(call, tool, arguments, arguments != call.arguments), scope, decisions)
    if not isinstance(prepared, ReadyCall):
        scope.meter.return_tool_call()
    return prepared


def refused(call: ToolCall, why: str) -> ToolResultMessage:
    """The error result of a call that did not run."""
    return answered(call, (TextContent(clean_text(why)),), is_error=True)


def answered(
    call: ToolCall, content: tuple[ResultBlock, ...], *, details: Any = None, is_error: bool = False
) -> ToolResultMessage:
    """The result of a call whose tool did not run."""
    return ToolResultMessage(
        tool_call_id=call.id,
        tool_name=call.name,
        content=content,
        details=details,
        is_error=is_error,
        was_executed=False,
    )


async def _after_hooks(ready: ReadyCall, scope: Scope, decisions: Mapping[str, Decision]) -> Prepared:
    for hook in scope.config.before_tool_call:
        ahead = CallAhead(ready.call, ready.tool, ready.arguments, scope.context(), scope.signal)
        try:
            verdict = await call_hook(hook, ahead, scope.signal)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - the door of a hook
            scope.signal.raise_if_set()
            scope.hook_failed(failed_hook("before", ready.call.name, error))
            return refused(ready.call, f"Denied: the check before the call failed: {told(error)}")
        if isinstance(verdict, Ask):
            verdict = decisions.get(ready.call.id, verdict)
        outcome = _obey(verdict, ready, scope)
        if not isinstance(outcome, ReadyCall):
            return outcome
        ready = outcome
    return ready


def _obey(verdict: object, ready: ReadyCall, scope: Scope) -> Prepared:
    match verdict:
        case None | Allow():
            return ready
        case Deny(reason):
            return refused(ready.call, f"Denied: {reason}" if reason else "Denied.")
        case Modify(arguments):
            return _modified(ready, arguments, scope)
        case Answer():
            content = clean_blocks(verdict.blocks)
            return answered(ready.call, content, details=plain(verdict.details), is_error=verdict.is_error)
        case Ask(reason):
            return PendingApproval(ready.call, reason)
        case _:
            kind = type(verdict).__name__
            scope.hook_failed(failed_hook("before", ready.call.name, f"it gave {kind}, which is no decision"))
            return refused(ready.call, f"Denied: the check before the call gave {kind}, which is no decision.")


def _modified(ready: ReadyCall, arguments: dict[str, Any], scope: Scope) -> Prepared:
    try:
        checked = _checked(ready.call, ready.tool, arguments, scope)
    except ToolArgumentError as error:
        return refused(ready.call, f"The arguments were changed before the call, and do not fit: {error.message}")
    return msgspec.structs.replace(ready, arguments=checked, differs=checked != ready.call.arguments)


def _checked(call: ToolCall, tool: Tool, arguments: dict[str, Any], scope: Scope) -> dict[str, Any]:
    try:
        checked = check_tool_arguments(tool, arguments)
    except ToolArgumentError:
        raise
    except Exception as error:
        raise ToolArgumentError(f"The arguments could not be checked: {told(error)}") from error
    if checked.schema_problem is not None:
        scope.warn(f"arguments of {call.name} are not checked, its schema is not valid: {checked.schema_problem}")
    for name in checked.left_out:
        scope.warn(f"{call.name}: the argument {name!r} is unknown and was left out")
    return checked.arguments


def _unreadable(call: ToolCall, why: str) -> str:
    parts = [f"The arguments of {call.name} could not be read: {excerpt(why, READING_ERROR_BYTES)}"]
    raw = call.arguments_text
    if raw and excerpt(raw, 80) not in why:
        parts.append(f"What came: {excerpt(raw, RAW_EXCERPT_BYTES)}")
    parts.append("The call was not run; send it again with the arguments as one whole JSON object.")
    return "\n".join(parts)
