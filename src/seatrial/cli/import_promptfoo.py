"""``seatrial import promptfoo``: a configuration of promptfoo as an agent file."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from seatrial.cli import terminal
from seatrial.cli.imported import as_bytes, counts, refuse_targets, tell_notes
from seatrial.config.loader import load_agent
from seatrial.config.promptfoo.importing import config_file, import_promptfoo
from seatrial.reporters.base import write_bytes


@click.command("promptfoo")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write it (default: beside FILE).")
@click.option("--force", is_flag=True, help="Overwrite the output.")
@click.option("--json", "is_json", is_flag=True, help="What was written and what was not, as JSON on stdout.")
def command(file: Path, output: Path | None, force: bool, is_json: bool) -> int:
    """Rewrite a promptfooconfig.yaml (or .json) as an agent file with its cases.

    What cannot be carried over is listed with its place, and what to write instead; it stands as a comment beside the
    case too. Code that the file names is never run. The exit code is 2 when the new file has an error.
    """
    source = config_file(file)
    target = output or source.with_name(f"{source.stem}.seatrial.yaml")
    imported = import_promptfoo(source, target)
    refuse_targets(list(imported.texts), source, force=force)
    for path, text in imported.texts.items():
        write_bytes(as_bytes(text), path)
    findings = [finding for agent in imported.agents for finding in load_agent(agent).diagnostics]
    written = [str(path) for path in imported.texts]
    if is_json:
        report = {
            "file": str(source),
            "written": written,
            **counts(imported.notes),
            "notes": [note.as_dict() for note in imported.notes],
            "diagnostics": [finding.as_dict() for finding in findings],
        }
        terminal.say_json(msgspec.json.encode(report))
    else:
        tell_notes(imported.notes)
        terminal.show_diagnostics(findings)
        number = counts(imported.notes)
        terminal.say(f"{', '.join(written)} written; left out: {number['left_out']}, changed: {number['changed']}")
    return 2 if any(finding.severity == "error" for finding in findings) else 0
