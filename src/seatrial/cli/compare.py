"""``seatrial compare``: what got better and worse between two runs."""

from __future__ import annotations

import sys
from collections.abc import Collection
from contextlib import ExitStack
from pathlib import Path
from typing import cast

import click

from seatrial.cli import terminal
from seatrial.cli.options import agent_option, open_runs, store_as_input, store_option
from seatrial.cli.sides import is_baseline, side_of
from seatrial.cli.targets import refuse_inputs, refuse_what_is_read, report_targets
from seatrial.config.agent_path import agent_file, named_file
from seatrial.config.loader import load_agent
from seatrial.reporters.base import write_bytes
from seatrial.reporters.comparison_json import comparison_entry
from seatrial.reporters.comparison_markdown import comparison_markdown
from seatrial.reporters.comparison_text import print_comparison
from seatrial.reporters.console import console_on
from seatrial.reporters.plain import Glyphs
from seatrial.runs.compare import Comparison, compare
from seatrial.runs.encoding import to_json
from seatrial.runs.gate import FAIL_ON, FailOn, exit_code, reasons_to_fail
from seatrial.runs.store import RunStore

_FILE = click.Path(path_type=Path)
fail_on_choice = click.Choice(list(FAIL_ON))


@click.command("compare")
@click.argument("before", default="last~1", metavar="[A]")
@click.argument("after", default="last", metavar="[B]")
@click.option(
    "--fail-on",
    type=fail_on_choice,
    help="Exit code 1: worse asks for evidence, any-regression takes each case that passes no more.",
)
@agent_option
@store_option
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "markdown"]), default="text", help="What stdout shows."
)
@click.option("--json", "is_json", is_flag=True, help="One JSON document on stdout.")
@click.option("--json-file", type=_FILE, metavar="FILE", help="Write the JSON document here.")
@click.option("--md", type=_FILE, metavar="FILE", help="Write Markdown here.")
def command(
    before: str,
    after: str,
    fail_on: str | None,
    agent: Path,
    place: str | None,
    form: str,
    is_json: bool,
    json_file: Path | None,
    md: Path | None,
) -> int:
    """Say what got better and worse from A to B, case by case, and how sure that is.

    A and B are runs (an id, the start or end of one, `last`, or `last~1` for the one before it) or a baseline.json.
    Without them the last two runs are compared. Exit code: 0; 1 when --fail-on holds; 2 when there is nothing to
    compare; 3 when --fail-on could not be asked of all cases because the provider failed.
    """
    terminal.refuse_two_documents(form, is_json=is_json)
    targets = report_targets({"json": json_file, "markdown": md})
    _refuse_inputs(targets.values(), agent_file(agent), place, (before, after))
    gate = cast("FailOn | None", fail_on)
    with ExitStack() as stack:
        store = _store(agent, place, (before, after))
        if store is not None:
            stack.enter_context(store)
        file = named_file(agent)
        found = compare(side_of(before, store, file), side_of(after, store, file))
    for kind, path in targets.items():
        write_bytes(comparison_document(found, kind, gate), path)
    show_comparison(found, "json" if is_json else form, gate)
    return exit_code(found, gate)


def _refuse_inputs(targets: Collection[Path], agent: Path, store: str | None, names: tuple[str, ...]) -> None:
    """Raises `ConfigError` for a report in the place of what is compared, of the store, or of the agent's files."""
    if not targets:
        return
    inputs = {agent: "the agent file", **{Path(name): "compared" for name in names if is_baseline(name)}}
    inputs |= store_as_input(agent.absolute().parent, store)
    if agent.is_file():
        refuse_what_is_read(targets, load_agent(agent), inputs)
    else:
        refuse_inputs(targets, inputs)


def comparison_document(found: Comparison, kind: str, fail_on: FailOn | None) -> bytes:
    """The comparison as ``json`` or ``markdown``."""
    if kind == "json":
        return to_json(comparison_entry(found, fail_on)) + b"\n"
    return comparison_markdown(found, _reasons(found, fail_on)).encode()


def show_comparison(found: Comparison, form: str, fail_on: FailOn | None) -> None:
    """The comparison on stdout."""
    if form == "json":
        terminal.say_json(comparison_document(found, "json", fail_on))
    elif form == "markdown":
        terminal.say_bytes(comparison_document(found, "markdown", fail_on))
    else:
        console, glyphs = console_on(sys.stdout), Glyphs(sys.stdout.encoding)
        print_comparison(found, console, glyphs, _reasons(found, fail_on))


def _reasons(found: Comparison, fail_on: FailOn | None) -> list[str]:
    return [] if fail_on is None else [f"{reason} (--fail-on {fail_on})" for reason in reasons_to_fail(found, fail_on)]


def _store(agent: Path, place: str | None, names: tuple[str, ...]) -> RunStore | None:
    """The store; None when two baselines are compared and there is none."""
    folder = agent_file(agent).absolute().parent
    if all(map(is_baseline, names)):
        return None
    return open_runs(folder, place, create=False)
