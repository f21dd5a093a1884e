"""``seatrial runs``: what is stored of earlier runs."""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path, PurePath

import click
from rich.text import Text

from seatrial.cli import terminal
from seatrial.cli.numbers import Whole
from seatrial.cli.options import agent_option, open_runs, store_in_words, store_option
from seatrial.cli.program import program
from seatrial.cli.runs_table import runs_table
from seatrial.config.agent_path import agent_file, named_file
from seatrial.errors import RunError
from seatrial.reporters.base import check_target, write_document
from seatrial.reporters.catalog import DOCUMENTS
from seatrial.reporters.console import console_on
from seatrial.reporters.console_report import print_report, show
from seatrial.reporters.console_trial import print_tries
from seatrial.reporters.json_file import run_summary, test_entry
from seatrial.reporters.plain import Glyphs, one_line
from seatrial.reporters.report import Report
from seatrial.reporters.ways_on import Caller
from seatrial.runs.encoding import to_json
from seatrial.runs.provenance import is_under_way
from seatrial.runs.records import RunRecord
from seatrial.runs.store import RunStore, resolve_run, runs_of

_SHOWN = 20


@click.group("runs")
def command() -> None:
    """List, show, export and delete stored runs."""


@command.command("list", short_help="The stored runs, the newest first.")
@agent_option
@store_option
@click.option("--limit", type=Whole(), default=_SHOWN, show_default=True, help="The newest so many.")
@click.option("--json", "is_json", is_flag=True, help="One JSON document on stdout.")
def list_runs(agent: Path, place: str | None, limit: int, is_json: bool) -> int:
    """The stored runs, the newest first."""
    with _store(agent, place) as store:
        reports = [Report.of(store, run) for run in runs_of(store, named_file(agent), limit)]
        if is_json:
            terminal.say_json(to_json([run_summary(report) for report in reports]))
        elif not reports:
            terminal.say("no run is stored here yet: `seatrial test` makes one")
        else:
            console, glyphs = console_on(sys.stdout), Glyphs(sys.stdout.encoding)
            show(console, runs_table(reports, glyphs, console.width))
    return 0


@command.command("show", short_help="The results of a run, or one case with its whole conversation.")
@click.argument("run", required=False, metavar="[RUN]")
@click.option("--case", "case", metavar="NAME", help="One case with its whole conversation.")
@agent_option
@store_option
@click.option("--json", "is_json", is_flag=True, help="One JSON document on stdout.")
def show_run(run: str | None, case: str | None, agent: Path, place: str | None, is_json: bool) -> int:
    """The results of RUN: an id, the start or end of one, or `last` (the default)."""
    with _store(agent, place) as store:
        report = Report.of(store, resolve_run(store, run, named_file(agent)))
        if case is not None:
            _show_case(report, case, is_json=is_json)
        elif is_json:
            document = BytesIO()
            DOCUMENTS.load("json")(report, document)
            terminal.say_json(document.getvalue())
        else:
            console, glyphs = console_on(sys.stdout), Glyphs(sys.stdout.encoding)
            console.print(Text(glyphs(_told(report.run)), "bold"))
            print_report(report, console, glyphs, _caller(report.run, agent, place))
    return 0


@command.command("export", short_help="Write a run as a document: json, junit, csv and others.")
@click.argument("run", required=False, metavar="[RUN]")
@click.option("--format", "form", type=click.Choice(list(DOCUMENTS.builtins)), default="json", show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Write here, not on stdout.")
@agent_option
@store_option
def export_run(run: str | None, form: str, output: Path | None, agent: Path, place: str | None) -> int:
    """Write RUN (default: the last) as a document."""
    with _store(agent, place) as store:
        report = Report.of(store, resolve_run(store, run, named_file(agent)))
        writer = DOCUMENTS.load(form)
        if output is None:
            document = BytesIO()
            writer(report, document)
            terminal.say_bytes(document.getvalue())
        else:
            check_target(output)
            write_document(writer, report, output)
    return 0


@command.command("delete", short_help="Remove stored runs, named by their ids.")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@agent_option
@store_option
def delete_runs(runs: tuple[str, ...], agent: Path, place: str | None) -> int:
    """Remove stored runs, named by their ids."""
    with _store(agent, place) as store:
        found = [resolve_run(store, name, named_file(agent)) for name in runs]
        for run in found:
            _delete(store, run)
    return 0


@command.command("gc", short_help="Remove all but the newest runs and give the space back.")
@click.option("--keep", type=Whole(0), required=True, metavar="N", help="Keep the newest N runs.")
@agent_option
@store_option
def collect(keep: int, agent: Path, place: str | None) -> int:
    """Remove all but the newest runs and give the space back."""
    with _store(agent, place) as store:
        old = runs_of(store, named_file(agent))[keep:]
        for run in old:
            if not is_under_way(run):
                _delete(store, run)
        store.compact()
    return 0


def _caller(run: RunRecord, agent: Path, place: str | None) -> Caller:
    return Caller(program(), agent_file(agent).parent / PurePath(run.agent_file).name, store_in_words(place))


def _delete(store: RunStore, run: RunRecord) -> None:
    if is_under_way(run):
        raise RunError(f"run {run.id} is still under way", hint="wait for its end, or stop it first")
    store.delete_run(run.id)
    terminal.say(f"deleted run {run.id}")


def _store(agent: Path, place: str | None) -> RunStore:
    return open_runs(agent_file(agent).absolute().parent, place, create=False)


def _show_case(report: Report, case: str, *, is_json: bool) -> None:
    trials = list(report.store.trials(report.run.id, case=case, with_messages=True))
    if not trials:
        names = ", ".join(dict.fromkeys(each.case for each in report.cases[:8]))
        raise RunError(f"run {report.run.id} has no case {case!r}", hint=f"its cases are {names} ...")
    if is_json:
        terminal.say_json(to_json([test_entry(trial, report) for trial in trials]))
        return
    console, glyphs = console_on(sys.stdout), Glyphs(sys.stdout.encoding)
    print_tries(trials, report, console, glyphs)


def _told(run: RunRecord) -> str:
    commit = f"commit {run.git.commit[:10]}{' with changes' if run.git.is_dirty else ''}" if run.git is not None else ""
    models = ", ".join(f"{variant.provider} {variant.model}" for variant in run.variants)
    file = PurePath(run.agent_file).name
    agent = run.agent if file in ("agent.yaml", "agent.yml") else f"{run.agent} ({file})"
    parts = [agent, models, f"{run.started_at.astimezone():%Y-%m-%d %H:%M}", commit]
    if run.status == "running":
        parts.append("under way" if is_under_way(run) else "broken off")
    return " · ".join(one_line(part) for part in parts if part)
