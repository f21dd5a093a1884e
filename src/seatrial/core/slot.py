"""The place of one call in its batch, from its start to its one result."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from seatrial.core.content import ToolCall
from seatrial.core.events import ToolEnded, ToolStarted, UsageCounted
from seatrial.core.messages import ToolResultMessage
from seatrial.core.prepare import ReadyCall, refused
from seatrial.core.result import PendingApproval
from seatrial.core.scope import Scope
from seatrial.core.usage import Usage, as_total

ABORTED = "The call was aborted before it had a result."


@dataclass(slots=True)
class Slot:
    """One call's place in the batch, with the calls that its tool makes. One with a result takes no other."""

    call: ToolCall
    ready: ReadyCall | None = None
    approval: PendingApproval | None = None
    result: ToolResultMessage | None = None
    has_started: bool = False
    wants_end: bool = False
    nested: list[Slot] = field(default_factory=list)


def start(slot: Slot, scope: Scope) -> None:
    """Tells that the call begins."""
    slot.has_started = True
    scope.emit(ToolStarted(slot.call))


def finish(slot: Slot, result: ToolResultMessage, scope: Scope) -> None:
    """Gives the call its result, unless it has one, and tells so; calls made within it are closed first."""
    if slot.result is not None:
        return
    for made_within in slot.nested:
        close(made_within, scope)
    slot.result = result
    scope.state.pending_tool_call_ids = [
        call_id for call_id in scope.state.pending_tool_call_ids if call_id != slot.call.id
    ]
    if scope.journal is not None and result.was_executed:
        scope.journal.call_finished(result)
    scope.emit(ToolEnded(result))
    if result.usage is not None:
        _count(result, result.usage, scope)


def _count(result: ToolResultMessage, usage: Usage, scope: Scope) -> None:
    """Adds what the tool spent to the run's totals; a limit that this makes blind is told."""
    limits = scope.config.limits
    scope.meter.count(as_total(usage, requests=0), result.cost_usd)
    if not usage.is_known and not result.is_error and limits.max_tokens is not None:
        scope.warn(f"max_tokens cannot be kept: {result.tool_name} does not say how many tokens it used")
    if result.cost_usd is None and limits.max_cost_usd is not None:
        scope.warn(f"max_cost_usd cannot be kept: what {result.tool_name} spent is not known")
    scope.emit(UsageCounted(usage, result.cost_usd))


def close(slot: Slot, scope: Scope) -> None:
    """Gives a call without a result the one that says it was aborted."""
    if slot.result is not None:
        return
    has_run = slot.has_started
    if not has_run:
        start(slot, scope)
    slot.approval = None
    finish(slot, msgspec.structs.replace(refused(slot.call, ABORTED), was_executed=has_run), scope)
