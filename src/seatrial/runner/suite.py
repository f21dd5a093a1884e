"""A suite from its plan to its stored verdict."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from seatrial.core.abort import AbortSignal
from seatrial.core.messages import utc_now
from seatrial.core.model import host_of
from seatrial.runner.budget import NO_BUDGET, Budget, Spending
from seatrial.runner.execute import execute
from seatrial.runner.grade import Graded, ended_from_within, grade, not_replayed, not_run
from seatrial.runner.pace import Pace
from seatrial.runner.schedule import schedule
from seatrial.runs.events import RunFinished, RunListener, RunStarted, Stopping, TrialFinished, TrialStarted
from seatrial.runs.masking import Masker
from seatrial.runs.records import RunRecord, RunStatus, TrialRecord
from seatrial.runs.verdict import INTERRUPTED
from seatrial.runs.writer import TrialWriter

if TYPE_CHECKING:
    from seatrial.assembly.live import LiveAgent
    from seatrial.recording.deck import Deck
    from seatrial.runner.plan import Plan, Trial
    from seatrial.runs.store import RunStore

FAIL_FAST = "fail_fast"
MAX_TIME = "max_time"
FAIL_ON_ERROR = "fail_on_error"

_STORED_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Suite:
    """What is run: the plan, the live agent of each variant, and what ends the run early."""

    plan: Plan
    agents: Mapping[str, LiveAgent]
    masker: Masker
    concurrency: int = 8
    is_fail_fast: bool = False
    max_time_s: float | None = None
    budget: Budget = NO_BUDGET
    deck: Deck | None = None
    seed: int | None = None

    def seed_of(self, trial: Trial) -> int | None:
        """What the trial's model draws by: each try of a case by another number."""
        return None if self.seed is None else self.seed + trial.repeat - 1


async def run_suite(suite: Suite, run: RunRecord, store: RunStore, tell: RunListener, stop: AbortSignal) -> RunRecord:
    """Runs every trial that is not done yet and stores each as it ends; gives the run's final record.

    Setting ``stop`` ends it within two seconds; what was finished stays, the rest is stored as not run.
    """
    started = time.monotonic()
    close = AbortSignal()
    store.begin_run(run)
    before = store.tally(run.id)
    tell(RunStarted(run, before))
    async with TrialWriter(store, run.id) as writer, _watch(stop, suite.max_time_s, tell):
        performer = _Performer(suite, Spending(suite.budget, before), _paces(suite), writer, tell, stop, close)
        await schedule(
            suite.plan, performer.perform, concurrency=suite.concurrency, stop=stop, fail=performer.fail, close=close
        )
    ended = _ended(run, stop.reason or close.reason, time.monotonic() - started)
    _store_the_rest(suite.plan, ended, store)
    store.end_run(ended)
    tell(RunFinished(ended, store.tally(run.id)))
    return ended


@dataclass(frozen=True, slots=True)
class _Performer:
    """One trial from its start to its place in the store."""

    suite: Suite
    spending: Spending
    paces: Mapping[str, Pace]
    writer: TrialWriter
    tell: RunListener
    stop: AbortSignal
    close: AbortSignal

    async def perform(self, trial: Trial) -> None:
        reason = trial.case.config.skip
        if reason is not None:
            await self._keep(not_run(trial, f"skipped: {reason}"))
            return
        used_up = self.spending.reason_to_stop()
        if used_up is not None:
            self.close.set(used_up)
            return
        agent, deck = self.suite.agents[trial.variant], self.suite.deck
        graded = await (self._tried(trial, agent) if deck is None else self._taped(trial, agent, deck))
        if graded is not None:
            await self._keep(graded.record)
            self._end_early(graded)

    async def _taped(self, trial: Trial, agent: LiveAgent, deck: Deck) -> Graded | None:
        """The trial on a tape of its own: recorded, or replayed as far as it was recorded."""
        with deck.trial(*trial.key) as tape:
            graded = await self._tried(trial, agent)
            if graded is None:
                tape.discard()
        return graded if graded is None or tape.missing is None else not_replayed(graded, tape.missing)

    async def _tried(self, trial: Trial, agent: LiveAgent) -> Graded | None:
        """The finished trial; None when stop was said before its end."""
        async with self.paces[trial.variant].turn() as turn:
            if self.stop.is_set:
                return None
            self.tell(TrialStarted(trial.key))
            attempt = await execute(trial.case.config, agent, self.stop, seed=self.suite.seed_of(trial))
            turn.was_held_back, turn.latency_s = attempt.was_held_back, attempt.latency_s
        return None if attempt.is_aborted else await grade(trial, attempt, agent)

    async def fail(self, trial: Trial, error: BaseException) -> None:
        """Keeps a trial that its own code ended."""
        await self._keep(ended_from_within(trial, error))

    async def _keep(self, record: TrialRecord) -> None:
        """Hands the trial to the store; it is told when it is on disk, and the next one does not wait for that."""
        await self.writer.add(self.suite.masker.record(record), lambda kept: self.tell(TrialFinished(kept)))

    def _end_early(self, graded: Graded) -> None:
        uncounted = self.spending.count(graded.record)
        if uncounted is not None:
            self.close.set(uncounted)
        if graded.fatal_metric is not None:
            self.stop.set(FAIL_ON_ERROR)
        if self.suite.is_fail_fast and graded.record.outcome in ("failed", "errored"):
            self.stop.set(FAIL_FAST)


def _paces(suite: Suite) -> dict[str, Pace]:
    """The pace of each variant: one for each host of models."""
    hosts = {variant: host_of(agent.agent.model) for variant, agent in suite.agents.items()}
    paces = {host: Pace(suite.concurrency) for host in hosts.values()}
    return {variant: paces[host] for variant, host in hosts.items()}


@asynccontextmanager
async def _watch(stop: AbortSignal, max_time_s: float | None, tell: RunListener) -> AsyncIterator[None]:
    """Says stop when the time is up, and tells when stop was said by anyone."""
    alarm = None
    if max_time_s is not None:
        alarm = asyncio.get_running_loop().call_later(max_time_s, stop.set, MAX_TIME)
    announcing = asyncio.create_task(_announce(stop, tell))
    try:
        yield
    finally:
        announcing.cancel()
        if alarm is not None:
            alarm.cancel()


async def _announce(stop: AbortSignal, tell: RunListener) -> None:
    tell(Stopping(await stop.wait()))


def _ended(run: RunRecord, stopped_by: str | None, worked_s: float) -> RunRecord:
    status: RunStatus = "finished"
    if stopped_by is not None:
        status = "interrupted" if stopped_by == INTERRUPTED else "stopped"
    return msgspec.structs.replace(
        run, status=status, ended_at=utc_now(), stopped_by=stopped_by, worked_s=run.worked_s + worked_s
    )


def _store_the_rest(plan: Plan, run: RunRecord, store: RunStore) -> None:
    """What was planned and not made is told, case by case; a later resume makes it."""
    if run.stopped_by is None:
        return
    done = store.done(run.id)
    missing = (trial for trial in plan if trial.key not in done)
    for batch in _batches(missing, _STORED_AT_ONCE):
        store.add_trials(run.id, [not_run(trial, f"not run: {run.stopped_by}") for trial in batch])


def _batches(trials: Iterable[Trial], size: int) -> Iterator[list[Trial]]:
    source = iter(trials)
    while batch := list(islice(source, size)):
        yield batch
