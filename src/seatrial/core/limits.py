"""What ends a run that would go on, and the counting for it."""

from __future__ import annotations

import msgspec

from seatrial.core.result import RunResult
from seatrial.core.usage import UsageTotal


class Limits(msgspec.Struct, frozen=True, omit_defaults=True):
    """The bounds of one run; None is no bound. ``max_tokens`` counts input and output of all requests.

    A bound that is hit ends the run with the stop reason ``limit`` and its key, never with an exception.
    """

    max_turns: int | None = 20
    max_tool_calls: int | None = None
    max_tokens: int | None = None
    max_cost_usd: float | None = None
    timeout_s: float | None = None


class Meter:
    """Counts what one run has used so far, and says which limit that reaches."""

    def __init__(self, limits: Limits, earlier: RunResult | None = None) -> None:
        self.limits = limits
        self.turns = earlier.turns if earlier else 0
        self.tool_calls = earlier.tool_call_count if earlier else 0
        self.refused_tool_calls = 0
        self.usage = earlier.usage if earlier else UsageTotal()
        self.known_cost_usd = (earlier.cost_usd or 0.0) if earlier else 0.0
        self.has_unknown_cost = earlier is not None and earlier.cost_usd is None

    @property
    def cost_usd(self) -> float | None:
        """Dollars so far; None as soon as one part of it is unknown."""
        return None if self.has_unknown_cost else self.known_cost_usd

    def count(self, used: UsageTotal, cost_usd: float | None) -> None:
        """Adds a request, or what a tool spent."""
        self.usage = self.usage.plus(used)
        if cost_usd is None:
            self.has_unknown_cost = True
        else:
            self.known_cost_usd += cost_usd

    def limit_before_request(self) -> str | None:
        """The key of the limit that forbids another request, or None."""
        limits = self.limits
        if limits.max_turns is not None and self.turns >= limits.max_turns:
            return "max_turns"
        return self.spent_limit()

    def spent_limit(self) -> str | None:
        """The key of the limit on tokens or money that is reached, or None."""
        limits = self.limits
        if limits.max_tokens is not None and self.usage.input_tokens + self.usage.output_tokens >= limits.max_tokens:
            return "max_tokens"
        if limits.max_cost_usd is not None and self.known_cost_usd >= limits.max_cost_usd:
            return "max_cost_usd"
        return None

    def take_tool_call(self) -> bool:
        """Counts one more tool call, or says that the limit forbids it."""
        if self.limits.max_tool_calls is not None and self.tool_calls >= self.limits.max_tool_calls:
            self.refused_tool_calls += 1
            return False
        self.tool_calls += 1
        return True

    def return_tool_call(self) -> None:
        """Takes the last count back: the call was not run after all."""
        self.tool_calls -= 1
