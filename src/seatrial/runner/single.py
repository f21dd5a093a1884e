"""One case without a run around it: its tries, one after the other, and whether they are enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seatrial.core.abort import AbortSignal
from seatrial.runner.execute import execute
from seatrial.runner.grade import Graded, grade, not_replayed, not_run
from seatrial.runner.plan import PlannedCase, Trial
from seatrial.runs.masking import Masker
from seatrial.runs.records import CaseTally, TrialRecord

if TYPE_CHECKING:
    from seatrial.assembly.live import LiveAgent
    from seatrial.recording.deck import Deck


async def try_case(
    case: PlannedCase, agent: LiveAgent, variant: str = "", *, deck: Deck | None = None
) -> list[TrialRecord]:
    """The tries that the case asks for, in order, secrets masked; nothing is stored."""
    masker = Masker(agent.loaded.secrets)
    trials = [Trial(case, variant, repeat=number) for number in range(1, (case.config.repeat or 1) + 1)]
    return [masker.record(await _tried(trial, agent, deck)) for trial in trials]


def is_met(tries: Sequence[TrialRecord]) -> bool:
    """Whether as many tries passed as the case requires. Tries with nothing to check do not count, as in a run."""
    checked = [one for one in tries if one.outcome in ("passed", "failed", "errored")]
    passed = sum(one.outcome == "passed" for one in checked)
    first = tries[0]
    return CaseTally(first.case, first.variant, len(checked), passed, require=first.require).is_met


async def _tried(trial: Trial, agent: LiveAgent, deck: Deck | None) -> TrialRecord:
    if deck is None:
        return (await _graded(trial, agent)).record
    with deck.trial(*trial.key) as tape:
        graded = await _graded(trial, agent)
    return (graded if tape.missing is None else not_replayed(graded, tape.missing)).record


async def _graded(trial: Trial, agent: LiveAgent) -> Graded:
    attempt = await execute(trial.case.config, agent, AbortSignal())
    return Graded(not_run(trial, "stopped")) if attempt.is_aborted else await grade(trial, attempt, agent)
