"""``seatrial validate``: every problem of an agent file at once, with what to write instead."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from seatrial.assembly.check import check
from seatrial.cli import terminal
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.effective import effective_lines
from seatrial.config.loaded import LoadedAgent, in_order
from seatrial.config.loader import load_agent

FAILED = 2
_LINES_SHOWN = 30


@click.command("validate")
@click.argument("agent", type=click.Path(path_type=Path), default=Path(), required=False)
@click.option("--json", "is_json", is_flag=True, help="One JSON document on stdout.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="How findings are written; github: annotations at the lines of a pull request.",
)
@click.option("--strict", is_flag=True, help="Count warnings as errors.")
@click.option("--show-effective", is_flag=True, help="Print the file as it is used, with the origin of each value.")
def command(agent: Path, is_json: bool, form: str, strict: bool, show_effective: bool) -> int:
    """Check the agent file and say what to write instead.

    AGENT is the file or its folder (default: agent.yaml here). Nothing is run and nothing is sent. The exit code is 2
    when there is an error.
    """
    terminal.refuse_two_documents(form, is_json=is_json)
    loaded = load_agent(agent)
    if form == "text" and not is_json:
        loaded.require_file()
    if show_effective:
        for line in effective_lines(loaded):
            terminal.say(line)
    findings = in_order((*loaded.diagnostics, *check(loaded)), loaded.path)
    if strict:
        findings = tuple(finding.as_error() for finding in findings)
    if is_json or form == "json":
        terminal.say_json(msgspec.json.encode(report(loaded, findings)))
    elif form == "github":
        for finding in findings:
            terminal.say(finding.as_github_annotation())
    else:
        terminal.show_diagnostics(findings, sys.stdout)
        terminal.say(verdict(loaded, findings))
    return FAILED if count(findings, "error") else 0


def report(loaded: LoadedAgent, findings: Sequence[Diagnostic]) -> dict[str, object]:
    """The JSON document."""
    return {
        "file": str(loaded.path),
        "ok": count(findings, "error") == 0,
        "errors": count(findings, "error"),
        "warnings": count(findings, "warning"),
        "diagnostics": [finding.as_dict() for finding in findings],
    }


def verdict(loaded: LoadedAgent, findings: Sequence[Diagnostic]) -> str:
    """One line: how many findings, or what the file holds."""
    errors, warnings = count(findings, "error"), count(findings, "warning")
    if errors:
        told = f"; {_number(warnings, 'warning')}" if warnings else ""
        return f"{loaded.path}: {_number(errors, 'error')}{_lines(loaded, findings)}{told}"
    config = loaded.require()
    contents = f"{_number(len(config.tools), 'tool')}, {_number(len(config.test_cases), 'test case')}"
    told = f"; {_number(warnings, 'warning')}" if warnings else ""
    return f"{loaded.path}: valid ({contents}{told})"


def _lines(loaded: LoadedAgent, findings: Sequence[Diagnostic]) -> str:
    """Where the errors are, by line: findings come by kind, and a file is mended from top to bottom."""
    errors = [finding for finding in findings if finding.severity == "error"]
    lines = sorted({finding.line for finding in errors if finding.file == loaded.path and finding.line})
    others = sorted({finding.shown_file for finding in errors if finding.file != loaded.path})
    shown = ", ".join(map(str, lines[:_LINES_SHOWN])) + (", ..." if len(lines) > _LINES_SHOWN else "")
    here = f" in line{'' if len(lines) == 1 else 's'} {shown}" if lines else ""
    elsewhere = f" {'and ' if here else ''}in {', '.join(others)}" if others else ""
    return here + elsewhere


def count(findings: Sequence[Diagnostic], severity: str) -> int:
    """How many findings are of that severity."""
    return sum(finding.severity == severity for finding in findings)


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
