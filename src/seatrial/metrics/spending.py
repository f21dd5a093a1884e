"""What judges spend: counted where a model is asked, collected for the metric on whose behalf it was."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from seatrial.core.messages import AssistantMessage
from seatrial.core.model import Model
from seatrial.core.usage import UNKNOWN_USAGE, Usage, UsageTotal, as_total, cost_of


class Spending:
    """The requests of one metric, all tries, draws and mended replies included. ``cost_usd`` None is unknown."""

    def __init__(self) -> None:
        self.usage = UsageTotal()
        self.cost_usd: float | None = 0.0

    def add(self, usage: Usage, cost_usd: float | None) -> None:
        """Counts one request."""
        self.usage = self.usage.plus(as_total(usage))
        self.cost_usd = None if self.cost_usd is None or cost_usd is None else self.cost_usd + cost_usd


_current: ContextVar[Spending | None] = ContextVar("judge_spending", default=None)


@contextmanager
def collected() -> Iterator[Spending]:
    """Whatever judges spend meanwhile, in this task and in those that it starts."""
    spending = Spending()
    token = _current.set(spending)
    try:
        yield spending
    finally:
        _current.reset(token)


def count_reply(message: AssistantMessage, model: Model) -> None:
    """Counts a reply and the failed tries before it."""
    spending = _current.get()
    if spending is None:
        return
    prices = None if model.info is None else model.info.cost
    for failed in message.failed_tries:
        is_free = failed.usage == UNKNOWN_USAGE
        spending.add(failed.usage, 0.0 if is_free else cost_of(failed.usage, prices))
    is_free = message.usage == UNKNOWN_USAGE and message.stop_reason == "error"
    known = cost_of(message.usage, prices) if message.cost_usd is None else message.cost_usd
    spending.add(message.usage, 0.0 if is_free and known is None else known)


def count_lost() -> None:
    """Counts a request that was given up: what it used, nobody will tell."""
    spending = _current.get()
    if spending is not None:
        spending.add(UNKNOWN_USAGE, None)
