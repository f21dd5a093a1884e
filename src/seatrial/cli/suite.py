"""``seatrial test``: run the cases and give a verdict."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from seatrial.assembly.live import LiveAgent, assemble
from seatrial.cli import terminal
from seatrial.cli.against import Against, against, against_options
from seatrial.cli.agents import closed, load_checked
from seatrial.cli.allow_mcp import allow_mcp_option, allow_servers
from seatrial.cli.dry_run import show_plan
from seatrial.cli.index_words import has_changed, index_in_words
from seatrial.cli.numbers import Number, Whole
from seatrial.cli.options import open_runs, store_as_input, store_in_words, store_option
from seatrial.cli.program import command_line, program
from seatrial.cli.running import run_async, settle_memory
from seatrial.cli.taping import Taping, taping, taping_options
from seatrial.cli.targets import refuse_inputs, refuse_what_is_read, report_targets
from seatrial.cli.watching import watch
from seatrial.config.loaded import LoadedAgent
from seatrial.config.paths import kind_of
from seatrial.config.secrets import mask
from seatrial.core.abort import AbortSignal
from seatrial.errors import ConfigError, ReportError, RunError
from seatrial.recording.deck import Deck
from seatrial.reporters.base import check_target, write_document
from seatrial.reporters.catalog import DOCUMENTS
from seatrial.reporters.console import ConsoleReporter
from seatrial.reporters.github import is_github, tell_github
from seatrial.reporters.report import Report
from seatrial.reporters.ways_on import Caller
from seatrial.runner.begin import Begun, begin, go_on
from seatrial.runner.budget import NO_BUDGET, Budget
from seatrial.runner.estimate import estimate
from seatrial.runner.plan import case_names
from seatrial.runner.suite import Suite, run_suite
from seatrial.runs.events import Prepared, Preparing, RunListener, Warned
from seatrial.runs.masking import Masker
from seatrial.runs.records import RunRecord, Selection
from seatrial.runs.store import RunStore, resolve_run
from seatrial.tools.mcp.servers import McpPool

if TYPE_CHECKING:
    from seatrial.retrieval.report import IndexProgress

_PROBLEMS_TOLD = 5
_OUTSIDE_FAILED = 3


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for."""

    agent: Path
    selection: Selection
    concurrency: int
    repeat: int = 1
    seed: int | None = None
    models: tuple[str, ...] = ()
    only_failed: bool = False
    is_dry: bool = False
    store: str | None = None
    resume: str | None = None
    is_forced: bool = False
    is_json: bool = False
    documents: dict[str, Path] = field(default_factory=dict)
    is_fail_fast: bool = False
    max_time_s: float | None = None
    budget: Budget = NO_BUDGET
    against: Against = field(default_factory=Against)
    is_mcp_allowed: bool = False
    taping: Taping = field(default_factory=Taping)


FILE = click.Path(path_type=Path)


@click.command("test")
@click.argument("agent", type=click.Path(path_type=Path), default=Path(), required=False)
@click.option("-k", "pattern", metavar="PATTERN", help="Only cases with this in their name (* and ? are wildcards).")
@click.option("--case", "cases", multiple=True, metavar="NAME", help="Only this case; may be given several times.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only cases with this tag; several are alternatives.")
@click.option("--failed", is_flag=True, help="Only cases that did not pass in the last run.")
@click.option("--limit", type=Whole(), metavar="N", help="Only the first N of the selected cases.")
@click.option("--concurrency", type=Whole(), default=8, show_default=True, metavar="N", help="Trials at once.")
@click.option("--repeat", type=Whole(), default=1, metavar="N", help="Try each case N times.")
@click.option(
    "--seed", type=Whole(0), metavar="N", help="Have models draw by N (the k-th try by N+k-1), where they can."
)
@click.option(
    "--model",
    "models",
    multiple=True,
    metavar="PROVIDER:NAME",
    help="Use this model in place of the agent's own; several stand side by side.",
)
@click.option("--fail-fast", is_flag=True, help="Stop at the first case that does not pass.")
@click.option("--max-time", type=Number(), metavar="S", help="Stop after S seconds.")
@click.option("--max-cost", type=Number(), metavar="USD", help="Spend no more than this.")
@click.option("--max-tokens", type=Whole(), metavar="N", help="Use no more tokens than this.")
@click.option(
    "--resume", is_flag=False, flag_value="last", metavar="[RUN]", help="Go on with a stored run (default: the last)."
)
@click.option("--force", is_flag=True, help="Resume also when the agent's files have changed.")
@click.option("--watch", "is_watched", is_flag=True, help="Run again whenever a file that the agent reads has changed.")
@click.option("--dry-run", is_flag=True, help="Show the plan and what it will probably take; run nothing.")
@taping_options
@allow_mcp_option
@against_options
@store_option
@click.option("--json", "is_json", is_flag=True, help="One JSON document on stdout; progress goes to stderr.")
@click.option("--json-file", type=FILE, metavar="FILE", help="Write the JSON document here.")
@click.option("--jsonl", type=FILE, metavar="FILE", help="Write JSON Lines here: the run, then each trial.")
@click.option("--junit", type=FILE, metavar="FILE", help="Write JUnit XML here.")
@click.option("--md", type=FILE, metavar="FILE", help="Write Markdown here.")
@click.option("--html", type=FILE, metavar="FILE", help="Write one self-contained HTML page here.")
def command(
    agent: Path,
    pattern: str | None,
    cases: tuple[str, ...],
    tags: tuple[str, ...],
    failed: bool,
    limit: int | None,
    concurrency: int,
    repeat: int,
    seed: int | None,
    models: tuple[str, ...],
    fail_fast: bool,
    max_time: float | None,
    max_cost: float | None,
    max_tokens: int | None,
    resume: str | None,
    force: bool,
    is_watched: bool,
    dry_run: bool,
    record: Path | None,
    replay: Path | None,
    record_missing: bool,
    live_tools: bool,
    baseline: str | None,
    fail_on: str | None,
    update_baseline: bool,
    allow_mcp: bool,
    place: str | None,
    is_json: bool,
    json_file: Path | None,
    jsonl: Path | None,
    junit: Path | None,
    md: Path | None,
    html: Path | None,
) -> int:
    """Run the test cases of AGENT (a file or its folder; default: agent.yaml here) and give a verdict.

    Every finished trial is stored at once. Exit code: 0 all passed; 1 a case failed or a budget ran out; 2 the
    input is wrong, or nothing was left to run or to check; 3 only the outside world failed; 130 interrupted.
    """
    asked = {"json": json_file, "jsonl": jsonl, "junit": junit, "markdown": md, "html": html}
    request = Request(
        agent=agent,
        selection=Selection(pattern, cases, tags, limit),
        concurrency=concurrency,
        repeat=repeat,
        seed=seed,
        models=models,
        only_failed=failed,
        is_dry=dry_run,
        store=place,
        resume=resume,
        is_forced=force,
        is_json=is_json,
        documents=report_targets(asked),
        is_fail_fast=fail_fast,
        max_time_s=max_time,
        budget=Budget(max_cost, max_tokens),
        is_mcp_allowed=allow_mcp,
        taping=taping(
            record, replay, record_missing=record_missing, live_tools=live_tools, is_resumed=resume is not None
        ),
        against=against(baseline, fail_on, update_baseline=update_baseline),
    )
    request = _with_agent_beside_resume(request)
    _refuse_what_is_not_done(request)
    if is_watched:
        _refuse_to_watch(request)
        return run_async(lambda stop: watch(request.agent, partial(test, request, stop), stop))
    return run_async(lambda stop: test(request, stop), is_busy=True)


def _refuse_what_is_not_done(request: Request) -> None:
    """Raises a usage error for what would be passed over in silence."""
    if request.is_forced and request.resume is None:
        raise click.UsageError("--force goes on with a run although the agent changed: it needs --resume")
    if not request.is_dry:
        return
    asked = {"--json": request.is_json, "--update-baseline": request.against.is_update}
    given = [
        *(f"the report {path.name}" for path in request.documents.values()),
        *(n for n, is_on in asked.items() if is_on),
    ]
    if given:
        raise click.UsageError(f"--dry-run runs nothing, so there is nothing for {' and '.join(given)}")


def _refuse_to_watch(request: Request) -> None:
    """Raises a usage error for what is done once and not again and again."""
    asked = {
        "--resume": request.resume is not None,
        "--dry-run": request.is_dry,
        "--json": request.is_json,
        "--update-baseline": request.against.is_update,
    }
    given = [name for name, is_given in asked.items() if is_given]
    if given:
        raise click.UsageError(f"--watch runs again and again: leave {' and '.join(given)} out")


async def test(request: Request, stop: AbortSignal) -> int:
    """The whole command: load, plan, run, report."""
    tape = request.taping
    loaded = load_checked(request.agent, stand_in=tape.stand_in, is_offline=not tape.needs_tools)
    baseline = request.against.file(loaded.folder)
    if baseline is not None:
        check_target(baseline)
    refuse_inputs(request.documents.values(), {} if baseline is None else {baseline: "where the baseline is kept"})
    written = [*request.documents.values(), baseline, request.taping.target]
    refuse_what_is_read([path for path in written if path is not None], loaded, _inputs(request, loaded))
    request.against.refuse_part_of_suite(request.selection, is_part=request.only_failed)
    before = request.against.before(loaded.path, request.store)
    request = _of_failed(request, loaded)
    new = _begin(request, loaded)
    if request.is_dry and new is not None:
        return _show_plan(request, new, loaded)
    if request.taping.needs_tools:
        allow_servers(loaded, is_allowed=request.is_mcp_allowed)
    with open_runs(loaded.folder, request.store, create=new is not None) as store:
        begun = new or _go_on(request, loaded, store)
        console = ConsoleReporter(sys.stderr if request.is_json else sys.stdout, store, _caller(request))
        with terminal.stdout_for_us_alone(request.is_json):
            deck = request.taping.deck(loaded)
            run = await _run(request, begun, loaded, store, console, stop, deck)
        is_recorded = request.taping.tell_end(deck, is_whole_suite=_is_whole(request, run))
        report = Report.of(store, run)
        is_written = _write(request, report)
        if store.is_gone:
            terminal.tell("error: the run store was removed while the run went on: its results are not kept")
        stream = sys.stderr if request.is_json else sys.stdout
        code = request.against.settle(before, run, store, loaded.folder, report.exit_code, stream)
        return code if is_recorded and is_written and not store.is_gone else code or _OUTSIDE_FAILED


def _go_on(request: Request, loaded: LoadedAgent, store: RunStore) -> Begun:
    run = resolve_run(store, request.resume, loaded.path.name)
    return go_on(
        loaded,
        run,
        store,
        concurrency=request.concurrency,
        is_forced=request.is_forced,
        to_see_it=_caller(request).show(run),
    )


def _caller(request: Request) -> Caller:
    """How to go on: with the recording that this run was answered from, or was written to."""
    tape, options = request.taping, list[str]()
    if tape.folder is not None:
        options = ["--replay" if tape.is_replaying else "--record", str(tape.folder)]
        options += ["--record-missing"] if tape.is_replaying and tape.is_recording else []
        options += ["--live-tools"] if tape.has_live_tools else []
    if request.is_mcp_allowed:
        options.append("--allow-mcp")
    return Caller(program(), store=store_in_words(request.store), options=tuple(options))


def _is_whole(request: Request, run: RunRecord) -> bool:
    """Whether every case was run in this part of the run."""
    return run.selection == Selection() and run.stopped_by is None and request.resume is None


async def _run(
    request: Request,
    begun: Begun,
    loaded: LoadedAgent,
    store: RunStore,
    console: ConsoleReporter,
    stop: AbortSignal,
    deck: Deck | None,
) -> RunRecord:
    """The run from its agents to its record, followed by the console."""
    console.open()
    try:
        for note in begun.notes:
            console(Warned(note))
        async with AsyncExitStack() as stack:
            pool = McpPool()
            agents = {
                variant.name: await stack.enter_async_context(
                    closed(assemble(variant.loaded, deck=deck, pool=pool), stop)
                )
                for variant in begun.variants
            }
            request.budget.refuse_unknown_prices(_known_prices(agents.values()))
            for live in agents.values():
                await _prepare(live, console, stop)
            suite = replace(_suite(request, begun, agents, loaded), deck=deck)
            settle_memory()
            return await run_suite(suite, begun.run, store, console, stop)
    finally:
        console.close()


def _inputs(request: Request, loaded: LoadedAgent) -> dict[Path, str]:
    """What is read beside the agent's files: the store, where it is a file, and a baseline that stays as it is."""
    inputs = store_as_input(loaded.folder, request.store)
    if request.against.baseline is not None and not request.against.is_update:
        inputs[Path(request.against.baseline)] = "the baseline"
    return inputs


def _with_agent_beside_resume(request: Request) -> Request:
    """``--resume agent.yaml`` takes the agent for the run's name; the file that is there says what was meant."""
    if request.resume is not None and request.agent == Path() and kind_of(Path(request.resume)) in ("file", "folder"):
        return replace(request, agent=Path(request.resume), resume="last")
    return request


def _of_failed(request: Request, loaded: LoadedAgent) -> Request:
    """The request with the cases that did not pass in the last run, when only those are asked for."""
    if not request.only_failed:
        return request
    known = set(case_names(loaded.require().test_cases))
    with open_runs(loaded.folder, request.store, create=False) as store:
        run = resolve_run(store, None, loaded.path.name)
        cases = list(store.case_tallies(run.id))
        names = [case.case for case in cases if case.checked and not case.is_met]
        if store.tally(run.id).total < run.planned:  # it was broken off: what it never came to has not passed either
            names += known - {case.case for case in cases}
    names = [name for name in dict.fromkeys(names) if name in known]
    if not names:
        raise RunError(f"there is nothing to run: every case passed in run {run.id}")
    return replace(request, selection=msgspec.structs.replace(request.selection, cases=tuple(names)))


def _show_plan(request: Request, new: Begun, loaded: LoadedAgent) -> int:
    found = None
    with suppress(RunError), open_runs(loaded.folder, request.store, create=False) as store:
        found = estimate(new.plan, new.run, store)
    show_plan(new, found)
    return 0


def _begin(request: Request, loaded: LoadedAgent) -> Begun | None:
    """The new run, None when an old one is to be gone on with."""
    if request.resume is None:
        return begin(
            loaded,
            request.selection,
            models=request.models,
            repeat=request.repeat,
            seed=request.seed,
            concurrency=request.concurrency,
        )
    if request.is_dry:
        raise ConfigError("--dry-run shows the plan of a new run", hint="leave --resume out")
    if request.selection != Selection() or request.repeat != 1 or request.models or request.seed is not None:
        raise ConfigError(
            "--resume takes the cases, models, repeats and seed of the run that it goes on with",
            hint="leave -k and the like out",
        )
    return None


def _suite(request: Request, begun: Begun, agents: Mapping[str, LiveAgent], loaded: LoadedAgent) -> Suite:
    return Suite(
        plan=begun.plan,
        agents=agents,
        masker=Masker(loaded.secrets),
        concurrency=begun.run.concurrency,
        is_fail_fast=request.is_fail_fast,
        max_time_s=request.max_time_s,
        budget=request.budget,
        seed=begun.run.seed,
    )


def _known_prices(agents: Iterable[LiveAgent]) -> dict[str, bool]:
    """The models that the run will pay for, and whether their price is known."""
    models = [model for live in agents for model in live.models]
    return {
        f"{model.provider} {model.name}": model.info is not None and model.info.cost is not None for model in models
    }


async def _prepare(live: LiveAgent, tell: RunListener, stop: AbortSignal) -> None:
    """Brings the indexes up to date and tells what was done and what could not be read.

    Progress comes from other threads.
    """
    loop = asyncio.get_running_loop()

    def on_progress(tool: str, progress: IndexProgress) -> None:
        if progress.is_waiting:
            loop.call_soon_threadsafe(tell, Preparing(f"{tool}: waiting for another process that builds the index"))
        elif progress.chunks_total:  # a file that has changed
            what = f"indexing for {tool}: {progress.source}"
            loop.call_soon_threadsafe(tell, Preparing(what, progress.files_done, progress.files_total))

    def on_notice(text: str) -> None:
        tell(Warned(mask(text, live.loaded.secrets)))

    for tool, report in (await live.prepare(on_progress, stop, on_notice=on_notice, for_cases=True)).items():
        if has_changed(report):
            tell(Prepared(f"indexed for {tool}: {index_in_words(report)}"))
        for problem in report.problems[:_PROBLEMS_TOLD]:
            tell(Warned(f"{tool}: {problem}"))
        if len(report.problems) > _PROBLEMS_TOLD:
            more = len(report.problems) - _PROBLEMS_TOLD
            tell(Warned(f"{tool}: {more} more; {command_line('index', live.loaded.path)} tells them"))


def _write(request: Request, report: Report) -> bool:
    """Writes every report that was asked for; whether all could be written. What could not is told."""
    is_whole = True
    for kind, path in request.documents.items():
        try:
            write_document(DOCUMENTS.load(kind), report, path)
        except ReportError as error:
            terminal.tell(f"error: {error.message}")
            is_whole = False
    if is_github(os.environ):
        tell_github(report, sys.stderr, os.environ)
    if request.is_json:
        document = BytesIO()
        DOCUMENTS.load("json")(report, document)
        terminal.say_json(document.getvalue())
    return is_whole
