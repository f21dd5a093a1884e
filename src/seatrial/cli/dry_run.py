"""``seatrial test --dry-run``: what would be run, and what it will probably take."""

from __future__ import annotations

from itertools import islice

from seatrial.cli import terminal
from seatrial.reporters.words import dollars, seconds
from seatrial.runner.begin import Begun
from seatrial.runner.estimate import Estimate

_NAMES = 20


def show_plan(begun: Begun, found: Estimate | None) -> None:
    """The plan, and the estimate where an earlier run allows one."""
    run, plan = begun.run, begun.plan
    trials = sum(1 for _ in plan)
    cases, variants = len(plan.cases), len(plan.variants)
    terminal.say(
        f"{trials:,} trials: {_number(cases, 'case')}, {_number(variants, 'variant')}, {run.concurrency} at once"
    )
    for variant in run.variants:
        terminal.say(f"  {variant.name or 'model'}: {variant.provider} {variant.model}")
    for case in islice(plan.cases, _NAMES):
        skipped = f"  (skipped: {case.config.skip})" if case.config.skip else ""
        tries = plan.tries(case)
        terminal.say(f"  {case.name}{f' x{tries}' if tries > 1 else ''}{skipped}")
    if cases > _NAMES:
        terminal.say(f"  and {cases - _NAMES:,} more")
    terminal.say(_told(found))


def _told(found: Estimate | None) -> str:
    if found is None:
        return "no earlier run of this agent and model: what it will take is unknown"
    cost = "cost unknown" if found.cost_usd is None else f"about {dollars(found.cost_usd)}"
    return (
        f"probably {found.requests:,.0f} requests, {found.tokens:,.0f} tokens, {cost}, {seconds(found.duration_s)} "
        f"(as run {found.source})"
    )


def _number(count: int, word: str) -> str:
    return f"{count:,} {word}{'' if count == 1 else 's'}"
