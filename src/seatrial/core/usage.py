"""Token counts and what they cost. An absent number is unknown (None), never 0."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class Usage(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Tokens of one request, inclusive: cached tokens are part of ``input_tokens``, reasoning of ``output_tokens``."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    reasoning_tokens: int | None = None

    @property
    def is_known(self) -> bool:
        """Whether both sides of the request were counted."""
        return self.input_tokens is not None and self.output_tokens is not None


UNKNOWN_USAGE = Usage()


class UsageTotal(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A sum over requests: the known tokens, and how many requests did not say."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    requests: int = 0
    unknown_requests: int = 0

    def plus(self, other: UsageTotal) -> UsageTotal:
        """The sum of two totals."""
        return UsageTotal(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.requests + other.requests,
            self.unknown_requests + other.unknown_requests,
        )


class LongInputCost(msgspec.Struct, frozen=True, omit_defaults=True):
    """Prices that hold for a whole request once its input is longer than ``above_input_tokens``; None is unknown."""

    above_input_tokens: int
    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None


class ModelCost(msgspec.Struct, frozen=True, omit_defaults=True):
    """Prices in US dollars per 1,000,000 tokens; None is unknown.

    ``long_input`` holds the steps of a host that asks more for long requests, shortest first.
    """

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    long_input: tuple[LongInputCost, ...] = ()

    def at(self, input_tokens: int) -> ModelCost | LongInputCost:
        """The prices that hold for a request with this much input, cached tokens counted in."""
        reached = [step for step in self.long_input if input_tokens > step.above_input_tokens]
        return reached[-1] if reached else self


def total_of(usages: Iterable[Usage]) -> UsageTotal:
    """The sum of single requests."""
    total = UsageTotal()
    for usage in usages:
        total = total.plus(as_total(usage))
    return total


def as_total(usage: Usage, *, requests: int = 1) -> UsageTotal:
    """The usage of one request as a total; with ``requests=0`` the tokens alone."""
    return UsageTotal(
        usage.input_tokens or 0,
        usage.output_tokens or 0,
        usage.cache_read_tokens or 0,
        usage.cache_write_tokens or 0,
        usage.reasoning_tokens or 0,
        requests,
        0 if usage.is_known else requests,
    )


def cost_of(usage: Usage, prices: ModelCost | None) -> float | None:
    """Dollars for one request: each token once, at the price of its kind; None when a needed number is unknown.

    Input tokens that were neither read from nor written to the cache cost the input price.
    """
    if prices is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    rates = prices.at(usage.input_tokens)
    read = usage.cache_read_tokens or 0
    write = usage.cache_write_tokens or 0
    parts = (
        (max(usage.input_tokens - read - write, 0), rates.input),
        (read, rates.cache_read),
        (write, rates.cache_write),
        (usage.output_tokens, rates.output),
    )
    dollars = 0.0
    for tokens, price in parts:
        if tokens == 0:
            continue
        if price is None:
            return None
        dollars += tokens * price / 1_000_000
    return dollars
