"""From an agent file to a run that can be made: its record and its plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from seatrial.config.loaded import LoadedAgent
from seatrial.config.located import Listing, value_at
from seatrial.config.secrets import masked
from seatrial.core.messages import utc_now
from seatrial.errors import RunError
from seatrial.runner.plan import CasePlace, Plan, plan_cases
from seatrial.runner.resume import refuse_if_unfit
from seatrial.runner.variants import Variant, variants_of
from seatrial.runs.defining import name_from, sources_of
from seatrial.runs.provenance import git_state, installed_versions, new_run_id, this_process
from seatrial.runs.records import RunRecord, Selection, Source
from seatrial.runs.store import RunStore


@dataclass(frozen=True, slots=True)
class Begun:
    """A run before its first trial. ``notes`` are what the user should know of it."""

    run: RunRecord
    plan: Plan
    variants: Sequence[Variant]
    notes: Sequence[str] = ()


def begin(
    loaded: LoadedAgent,
    selection: Selection,
    *,
    models: Sequence[str] = (),
    repeat: int = 1,
    concurrency: int = 8,
    seed: int | None = None,
) -> Begun:
    """A new run; nothing is written. Raises `ConfigError` when there is nothing to run."""
    config = loaded.require()
    variants = variants_of(loaded, models)
    plan = _plan(loaded, selection, variants, repeat)
    now = utc_now()
    run = RunRecord(
        id=new_run_id(now),
        agent=config.name,
        agent_file=str(loaded.path),
        started_at=now,
        planned=plan.size,
        selection=selection,
        repeat=repeat,
        seed=seed,
        concurrency=min(concurrency, plan.size),
        variants=tuple(variant.record for variant in variants),
        models=tuple(models),
        sources=_sources(variants),
        has_all_files=True,
        instructions=masked(loaded.instructions_metadata, loaded.secrets),
        git=git_state(loaded.folder),
        versions=installed_versions(),
        process=this_process(),
    )
    return Begun(run, plan, variants)


def go_on(
    loaded: LoadedAgent,
    run: RunRecord,
    store: RunStore,
    *,
    concurrency: int = 8,
    is_forced: bool = False,
    to_see_it: str | None = None,
) -> Begun:
    """A stored run with what is missing of it. Raises `RunError` when nothing is, or when the agent has changed.

    ``to_see_it`` is the command that shows the run, for whoever has nothing left to run.
    """
    variants = variants_of(loaded, run.models)
    sources = _sources(variants)
    notes = refuse_if_unfit(run, sources, is_forced=is_forced)
    plan = replace(_plan(loaded, run.selection, variants, run.repeat), done=store.done(run.id))
    if next(iter(plan), None) is None:
        raise RunError(f"run {run.id} is complete: nothing is left to run", hint=to_see_it)
    resumed = msgspec.structs.replace(
        run,
        status="running",
        worked_s=_worked_s(run, store),
        part_started_at=utc_now(),
        stopped_by=None,
        ended_at=None,
        planned=plan.size,
        concurrency=min(concurrency, plan.size),
        variants=tuple(variant.record for variant in variants),
        sources=sources,
        has_all_files=True,
        process=this_process(),
    )
    return Begun(resumed, plan, variants, notes)


def _worked_s(run: RunRecord, store: RunStore) -> float:
    """The seconds of the run's earlier parts; of a part that broke off, up to the end of its last trial."""
    if run.status != "running":
        return run.worked_s
    started = run.part_started_at or run.started_at
    ends = ((trial.started_at - started).total_seconds() + trial.duration_s for trial in store.trials(run.id))
    return run.worked_s + max(ends, default=0.0)


def _plan(loaded: LoadedAgent, selection: Selection, variants: Sequence[Variant], repeat: int) -> Plan:
    cases = loaded.require().test_cases
    names = [variant.name for variant in variants]
    # Named once for each file, not for each case: there are far more of these.
    files = {path: None if path == loaded.path else name_from(path, loaded) for path in loaded.sources}
    written = value_at(loaded.data, ("test_cases",))

    def place_of(index: int) -> CasePlace:
        is_list = isinstance(written, Listing)
        place = written.place_of_item(index) if is_list else loaded.place_of(("test_cases", index))
        return CasePlace(files[place.file], place.line or None)

    return Plan(plan_cases(cases, selection, place_of=place_of), variants=names, repeat=repeat)


def _sources(variants: Sequence[Variant]) -> tuple[Source, ...]:
    """The files of all variants, each once."""
    loadeds = {id(variant.loaded.sources): variant.loaded for variant in variants}
    return tuple({source.path: source for loaded in loadeds.values() for source in sources_of(loaded)}.values())
