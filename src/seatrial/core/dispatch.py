"""The calls of one reply: prepared in order, run side by side, their results in order."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from seatrial.core.content import ToolCall
from seatrial.core.events import ToolUpdated
from seatrial.core.execute import execute
from seatrial.core.hooks import Decision
from seatrial.core.messages import ToolResultMessage
from seatrial.core.prepare import Prepared, ReadyCall, prepare, refused
from seatrial.core.result import PendingApproval
from seatrial.core.scope import Scope
from seatrial.core.slot import ABORTED, Slot, close, finish, start
from seatrial.core.tool import ToolContext, ToolOutput
from seatrial.core.waiting import stop_all, wait_for_all, watch
from seatrial.errors import AbortedError

NO_APPROVAL = "Not run: it needs a person's approval, and a tool cannot ask for one."
INTERRUPTED = "The call was interrupted; it may have taken effect, and was not run again."


@dataclass(slots=True)
class Batch:
    """What became of the calls of one reply."""

    results: list[ToolResultMessage] = field(default_factory=list)
    approvals: list[PendingApproval] = field(default_factory=list)
    wants_end: bool = False


async def dispatch(
    calls: Sequence[ToolCall],
    scope: Scope,
    decisions: Mapping[str, Decision] | None = None,
    *,
    is_resumed: bool = False,
) -> Batch:
    """Runs the calls and puts their results into the conversation, in the order of the calls.

    With ``is_resumed`` a call that the journal knows is not run again.

    When the run is aborted or its task cancelled, each call that has no result gets one that says so before the
    exception goes on; a tool that does not stop at once is left to end in the background.
    """
    slots = [Slot(call) for call in calls]
    scope.state.pending_tool_call_ids = [call.id for call in calls]
    try:
        for slot in slots:
            known = _known(slot.call, scope) if is_resumed else None
            _settle(slot, known or await prepare(slot.call, scope, decisions or {}), scope)
        for group in _groups(slots, scope):
            await _run_group(group, scope)
    except (AbortedError, asyncio.CancelledError):
        for slot in slots:
            close(slot, scope)
        raise
    finally:
        scope.state.pending_tool_call_ids = []
        results = [slot.result for slot in slots if slot.result is not None]
        for result in results:
            scope.conversation.add(result)
    return Batch(
        results,
        [slot.approval for slot in slots if slot.approval is not None],
        bool(slots) and all(slot.wants_end for slot in slots),
    )


def close_calls(calls: Sequence[ToolCall], why: str, scope: Scope) -> None:
    """Gives each call an error result instead of running it."""
    for call in calls:
        slot = Slot(call)
        start(slot, scope)
        result = refused(call, why)
        finish(slot, result, scope)
        scope.conversation.add(result)


def _known(call: ToolCall, scope: Scope) -> ToolResultMessage | None:
    """What the journal says of a call: its result, or that it was under way and must not be run again."""
    if scope.journal is None:
        return None
    result = scope.journal.result_of(call.id)
    if result is not None or not scope.journal.was_started(call.id):
        return result
    return refused(call, INTERRUPTED)


def _settle(slot: Slot, prepared: Prepared, scope: Scope) -> None:
    if isinstance(prepared, PendingApproval):
        slot.approval = prepared
    elif isinstance(prepared, ReadyCall):
        slot.ready = prepared
    else:
        start(slot, scope)
        finish(slot, prepared, scope)


def _groups(slots: Sequence[Slot], scope: Scope) -> Iterator[list[Slot]]:
    """The ready calls in rounds that may each run at once: a sequential tool has a round of its own."""
    group: list[Slot] = []
    for slot in slots:
        if slot.ready is None:
            continue
        if scope.config.tool_execution == "sequential" or slot.ready.tool.execution_mode == "sequential":
            if group:
                yield group
            yield [slot]
            group = []
        else:
            group.append(slot)
    if group:
        yield group


async def _run_group(group: Sequence[Slot], scope: Scope) -> None:
    scope.signal.raise_if_set()
    turnstile = asyncio.Semaphore(scope.config.max_parallel_tools)
    tasks: dict[asyncio.Future[None], Slot] = {
        asyncio.ensure_future(_run(slot, scope, turnstile)): slot for slot in group
    }
    try:
        if not await wait_for_all(tasks, scope.signal):
            raise AbortedError(scope.signal.reason or "aborted")
        for task in tasks:
            task.result()
    except BaseException:
        await _give_up(tasks, scope)
        raise


async def _give_up(tasks: Mapping[asyncio.Future[None], Slot], scope: Scope) -> None:
    for slot in tasks.values():
        close(slot, scope)
    for stray in await stop_all(tasks):
        name = tasks[stray].call.name
        scope.warn(f"{name} was aborted and has not stopped yet")
        watch(stray, name)


async def _run(slot: Slot, scope: Scope, turnstile: asyncio.Semaphore) -> None:
    ready = slot.ready
    if ready is None:
        return
    async with turnstile:
        start(slot, scope)
        if scope.journal is not None:
            scope.journal.call_started(ready.call)
        executed = await execute(ready, _tool_context(slot, scope), scope)
    slot.wants_end = executed.output.should_terminate
    finish(slot, executed.result, scope)


def _tool_context(slot: Slot, scope: Scope) -> ToolContext:
    call = slot.call

    async def run_tool(name: str, arguments: dict[str, Any]) -> ToolOutput:
        if slot.result is not None:
            raise AbortedError("the call that this one was made within is over")
        made_within = Slot(ToolCall(f"{call.id}.{len(slot.nested) + 1}", name, arguments))
        slot.nested.append(made_within)
        return await _run_nested(made_within, scope)

    loop, home = asyncio.get_running_loop(), threading.get_ident()

    def tell(text: str) -> None:
        if slot.result is None:
            scope.emit(ToolUpdated(call.id, text))

    def update(text: str) -> None:
        if threading.get_ident() == home:
            tell(text)
        elif not loop.is_closed():
            loop.call_soon_threadsafe(tell, text)

    return ToolContext(tool_call_id=call.id, signal=scope.signal, update=update, run_tool=run_tool)


async def _run_nested(slot: Slot, scope: Scope) -> ToolOutput:
    """A call that a tool makes: checked and shown to the hooks like the model's own; its result is the tool's."""
    _settle(slot, await prepare(slot.call, scope, {}), scope)
    if slot.ready is not None:
        await _run(slot, scope, asyncio.Semaphore())
    elif slot.approval is not None:
        start(slot, scope)
        finish(slot, refused(slot.call, NO_APPROVAL), scope)
    result = slot.result or refused(slot.call, ABORTED)
    return ToolOutput(
        content=result.content,
        details=result.details,
        added_tool_names=result.added_tool_names,
        is_error=result.is_error,
    )
