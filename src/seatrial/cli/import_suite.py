"""``seatrial import``: files of other tools, carried over."""

from __future__ import annotations

from pathlib import Path

import click

from seatrial.cli import terminal
from seatrial.cli.import_dataset import command as dataset
from seatrial.cli.import_promptfoo import command as promptfoo
from seatrial.cli.imported import as_bytes, refuse_targets
from seatrial.config.agent_path import agent_file
from seatrial.config.holodeck_import import import_holodeck
from seatrial.config.loader import load_agent
from seatrial.reporters.base import write_bytes


@click.group("import")
def command() -> None:
    """Carry over what was written for another tool."""


@command.command("holodeck")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write it (default: beside FILE).")
@click.option("--force", is_flag=True, help="Overwrite the output.")
def holodeck(file: Path, output: Path | None, force: bool) -> int:
    """Rewrite an agent file of HoloDeck in the form of seatrial, and list each change.

    Comments and layout stay. Files of HoloDeck also load as they are.
    """
    path = agent_file(file)
    imported = import_holodeck(path)
    target = output or path.with_name(f"{path.stem}.seatrial.yaml")
    refuse_targets([target], path, force=force)
    write_bytes(as_bytes(imported.text), target)
    for change in imported.changes:
        terminal.say(change)
    terminal.say(f"{target} written, {len(imported.changes)} change{'' if len(imported.changes) == 1 else 's'}")
    findings = load_agent(target).diagnostics
    terminal.show_diagnostics(findings)
    return 2 if any(finding.severity == "error" for finding in findings) else 0


command.add_command(promptfoo)
command.add_command(dataset)
