"""``seatrial calibrate``: how far judges agree with people."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.text import Text

from seatrial.assembly.judges import judges_of
from seatrial.assembly.live import LiveAgent, assemble
from seatrial.cli import terminal
from seatrial.cli.agents import closed, load_checked
from seatrial.cli.label_checks import (
    no_labels,
    refuse_contradictions,
    refuse_no_judges,
    refuse_off_scale,
    refuse_unanswered,
)
from seatrial.cli.numbers import Number, Whole
from seatrial.cli.options import open_runs, store_option
from seatrial.cli.running import run_async
from seatrial.cli.targets import refuse_what_is_read, report_targets
from seatrial.config.evaluations import MetricConfig
from seatrial.config.labels import LabelRow, read_labels
from seatrial.config.loaded import LoadedAgent
from seatrial.core.abort import AbortSignal
from seatrial.errors import ConfigError, RunError
from seatrial.metrics import catalog
from seatrial.metrics.base import Evidence
from seatrial.metrics.grading import GradedMetric
from seatrial.metrics.judge.calibration import JudgeReport, Scaled
from seatrial.reporters.base import write_bytes
from seatrial.reporters.calibration import calibration_entry, calibration_sections
from seatrial.reporters.console import console_on
from seatrial.reporters.plain import Glyphs
from seatrial.reporters.sections import section_lines
from seatrial.runner.calibrate import Item, Questions, TrialsByKey, ask, items_of, own_scores, trials_of
from seatrial.runner.plan import case_names
from seatrial.runs.encoding import to_json
from seatrial.runs.records import RunRecord
from seatrial.runs.store import resolve_run

_FILE = click.Path(path_type=Path)
_LAST = "last"


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for."""

    agent: Path
    labels: Path
    metrics: tuple[str, ...]
    questions: Questions
    pass_at: float | None
    run: str
    store: str | None
    is_json: bool
    json_file: Path | None


@click.command("calibrate")
@click.argument("agent", type=_FILE)
@click.argument("labels", type=_FILE)
@click.option("--metric", "metrics", multiple=True, metavar="NAME", help="Only this judge; may be given several times.")
@click.option("--draws", type=Whole(most=50), default=3, show_default=True, metavar="N", help="Ask each judge N times.")
@click.option("--no-order", is_flag=True, help="Do not ask once more with the material in the opposite order.")
@click.option("--pass-at", type=Number(-1e9, 1e9), metavar="X", help="The number from which people let an item pass.")
@click.option("--run", default=_LAST, show_default=True, metavar="RUN", help="Whose answers rows with a `case` mean.")
@click.option("--concurrency", type=Whole(), default=8, show_default=True, metavar="N", help="Items at once.")
@store_option
@click.option("--json", "is_json", is_flag=True, help="One JSON document on stdout.")
@click.option("--json-file", type=_FILE, metavar="FILE", help="Write the JSON document here.")
def command(
    agent: Path,
    labels: Path,
    metrics: tuple[str, ...],
    draws: int,
    no_order: bool,
    pass_at: float | None,
    run: str,
    concurrency: int,
    place: str | None,
    is_json: bool,
    json_file: Path | None,
) -> int:
    """Say how far the judges of AGENT agree with people, whose LABELS stand in a CSV or JSONL file.

    A row holds an item (`input`, `output`, and `ground_truth` or `context` where the judge needs them; or the `case` of
    a stored run) and in a column named like the judge what a person said: a number on its scale, or pass or fail.
    Several people label in rows of their own, told apart by `rater`. Exit code: 0; 1 when a judge was in error; 2 for
    mistakes in the files.
    """
    questions = Questions(draws, with_order=not no_order, concurrency=concurrency)
    request = Request(agent, labels, metrics, questions, pass_at, run, place, is_json, json_file)
    return run_async(lambda stop: _calibrate(request, stop))


async def _calibrate(request: Request, stop: AbortSignal) -> int:
    loaded = load_checked(request.agent)
    targets = report_targets({"json": request.json_file})
    refuse_what_is_read([*targets.values()], loaded, {request.labels: "the file of labels"})
    judges = judges_of(loaded)
    if not request.labels.exists():
        raise no_labels(request.labels)
    others = [name for name in catalog.names() if name not in judges] + _other_names(loaded)
    rows = read_labels(request.labels, list(judges), others)
    wanted = _wanted(request, rows, judges)
    refuse_contradictions(request.labels, rows)
    refuse_no_judges(loaded, {name: judges[name] for name in wanted})
    with terminal.stdout_for_us_alone(request.is_json):
        async with closed(assemble(loaded), stop) as live:
            await live.prepare(signal=stop)
            metrics = {name: live.judge(judges[name]) for name in wanted}
            refuse_off_scale(request.labels, rows, metrics, request.pass_at)
            items = _items(request, rows, live, loaded, wanted)
            reports = [await _report(request, metric, name, items, stop) for name, metric in metrics.items()]
    document = to_json(calibration_entry(reports)) + b"\n"
    for path in targets.values():
        write_bytes(document, path)
    if request.is_json:
        terminal.say_json(document)
    else:
        _show(reports)
    return int(any(report.errors or report.calibration is None for report in reports))


def _wanted(request: Request, rows: Sequence[LabelRow], judges: Mapping[str, MetricConfig]) -> list[str]:
    labelled = [name for name in judges if any(name in row.labels for row in rows)]
    for name in request.metrics:
        if name not in labelled:
            raise ConfigError(f"no row has a label for {name!r}", hint=f"labelled: {', '.join(labelled) or 'nothing'}")
    if not labelled:
        raise ConfigError(f"{request.labels} holds no labels")
    return [name for name in labelled if not request.metrics or name in request.metrics]


def _items(
    request: Request, rows: Sequence[LabelRow], live: LiveAgent, loaded: LoadedAgent, wanted: Sequence[str]
) -> list[Item]:
    shared = Evidence("", "", instructions=live.agent.system_prompt, tools=live.agent.tools.specs)
    about = {"": shared}
    cases = loaded.require().test_cases
    for name, case in zip(case_names(cases), cases, strict=True):
        if case.retrieval_context:
            about[name] = Evidence(
                "", "", context=case.retrieval_context, instructions=shared.instructions, tools=shared.tools
            )
    run, trials = _stored(request, rows, loaded)
    refuse_unanswered(request.labels, rows, run, trials)
    for name in wanted:
        if (count := own_scores(name, rows, trials)) and run is not None:
            terminal.tell(
                f"warning: {_all_of(count)} of {name} {'is' if count == 1 else 'are'} the judge's own of run {run.id}, "
                "to the last digit: write over them what people say"
            )
    return items_of(rows, trials, run, about)


def _all_of(count: int) -> str:
    return "the one label" if count == 1 else f"all {count:,} labels"


def _stored(request: Request, rows: Sequence[LabelRow], loaded: LoadedAgent) -> tuple[RunRecord | None, TrialsByKey]:
    """The run that the rows are about and those of its trials; nothing where none is needed or stored."""
    is_needed = any(row.output is None for row in rows)
    is_named = request.run != _LAST
    if not is_needed and not is_named and not any(row.case for row in rows):
        return None, {}
    try:
        with open_runs(loaded.folder, request.store, create=False) as store:
            run = resolve_run(store, request.run, loaded.path.name)
            return run, trials_of(rows, store, run)
    except RunError:
        if is_named:
            raise
        return None, {}


async def _report(
    request: Request, metric: GradedMetric, name: str, items: Sequence[Item], stop: AbortSignal
) -> JudgeReport:
    low, high = metric.info.scale
    line = metric.threshold if metric.threshold is not None else metric.info.default_threshold
    line = (low + high) / 2 if line is None else line
    human_line = line if request.pass_at is None else request.pass_at
    scaled = Scaled((low, high), line, human_line, metric.info.is_lower_better)
    return await ask(metric, name, items, request.questions, scaled, stop)


def _show(reports: Sequence[JudgeReport]) -> None:
    console, glyphs = console_on(sys.stdout), Glyphs(sys.stdout.encoding)
    for number, report in enumerate(reports):
        if number:
            console.print()
        for section in calibration_sections(report):
            for line in section_lines(section):
                console.print(Text(glyphs(line.text), line.style), soft_wrap=True)


def _other_names(loaded: LoadedAgent) -> list[str]:
    """Columns of an exported run that are metrics of this file and no judges."""
    config = loaded.require()
    block = config.evaluations.metrics if config.evaluations is not None else ()
    checks = [check.name for case in config.test_cases for check in case.checks or () if check.name]
    return [*(metric.title for metric in block), *checks, "meteor(synonyms=off)"]
