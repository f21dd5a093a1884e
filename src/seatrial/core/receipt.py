"""A reply on its way into the history: put in order, priced and counted."""

from __future__ import annotations

import msgspec

from seatrial.core.conversation import with_own_names
from seatrial.core.events import UsageCounted
from seatrial.core.history import with_unique_ids
from seatrial.core.messages import AssistantMessage
from seatrial.core.result import RequestRecord
from seatrial.core.scope import Scope
from seatrial.core.text import clean_blocks
from seatrial.core.usage import UNKNOWN_USAGE, ModelCost, Usage, as_total, cost_of


def received(message: AssistantMessage, scope: Scope) -> AssistantMessage:
    """The reply with clean text, the tools' own names, ids that occur once, and its cost where that is known."""
    content = clean_blocks(message.content)
    if content is not message.content:
        message = msgspec.structs.replace(message, content=content)
    if message.tool_calls:
        message = with_unique_ids(with_own_names(message, scope.state.tools), scope.conversation.used_ids)
    if message.cost_usd is not None:
        return message
    cost_usd = _cost(message.usage, _prices(scope), has_failed=message.stop_reason == "error")
    return message if cost_usd is None else msgspec.structs.replace(message, cost_usd=cost_usd)


def record(message: AssistantMessage, duration_s: float, scope: Scope, purpose: str) -> None:
    """Counts a reply and the failed tries before it, each in a record of its own."""
    last = RequestRecord(
        turn=scope.meter.turns,
        provider=message.provider,
        model=message.model,
        stop_reason=message.stop_reason,
        usage=message.usage,
        cost_usd=message.cost_usd,
        duration_s=duration_s,
        error_message=message.error_message,
        purpose=purpose,
    )
    for failed in message.failed_tries:
        cost_usd = _cost(failed.usage, _prices(scope), has_failed=True)
        tried = msgspec.structs.replace(
            last,
            stop_reason="error",
            usage=failed.usage,
            cost_usd=cost_usd,
            duration_s=None,
            error_message=failed.reason,
        )
        _count(tried, scope)
    _count(last, scope)


def _count(tried: RequestRecord, scope: Scope) -> None:
    limits = scope.config.limits
    scope.records.append(tried)
    scope.meter.count(as_total(tried.usage), tried.cost_usd)
    if not tried.usage.is_known and tried.stop_reason not in ("error", "aborted") and limits.max_tokens is not None:
        scope.warn(f"max_tokens cannot be kept: {tried.model} does not say how many tokens it used")
    if tried.cost_usd is None and limits.max_cost_usd is not None:
        scope.warn(f"max_cost_usd cannot be kept: what {tried.model} costs is not known")
    scope.emit(UsageCounted(tried.usage, tried.cost_usd))


def _cost(usage: Usage, prices: ModelCost | None, *, has_failed: bool) -> float | None:
    """Dollars, None when unknown. What failed and reports no tokens cost nothing."""
    if has_failed and usage == UNKNOWN_USAGE:
        return 0.0
    return cost_of(usage, prices)


def _prices(scope: Scope) -> ModelCost | None:
    info = scope.state.model.info
    return None if info is None else info.cost
