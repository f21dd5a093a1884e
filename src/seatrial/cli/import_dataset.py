"""``seatrial import dataset``: a table of questions as a file of test cases."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

import click
import msgspec

from seatrial.cli import terminal
from seatrial.cli.imported import as_bytes, refuse_targets, tell_notes
from seatrial.config.dataset import TARGETS, Dataset
from seatrial.reporters.base import write_stream


@click.command("dataset")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--map", "pairs", multiple=True, metavar="NAME=COLUMN", help=f"What a column is: {', '.join(TARGETS)}.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write it (default: beside FILE).")
@click.option("--force", is_flag=True, help="Overwrite the output.")
@click.option("--json", "is_json", is_flag=True, help="What was written and what was not, as JSON on stdout.")
def command(file: Path, pairs: Sequence[str], output: Path | None, force: bool, is_json: bool) -> int:
    """Make test cases of a CSV, TSV or JSONL file, one for each row.

    Columns that are named as a case names them need no --map; nested fields of JSONL are written a.b. Name the new file
    under `test_cases_file:`. Columns and rows that become nothing are listed.
    """
    target = output or file.with_name(f"{file.stem}.cases.jsonl")
    refuse_targets([target], file, force=force)
    dataset = Dataset(file, dict(map(_pair, pairs)))
    count = 0

    def write(out: BinaryIO) -> None:
        nonlocal count
        for case in dataset.cases():
            out.write(as_bytes(json.dumps(case, ensure_ascii=False) + "\n"))
            count += 1

    write_stream(target, write)
    notes = dataset.notes.in_order()
    if is_json:
        report: dict[str, Any] = {
            "file": str(file),
            "written": str(target),
            "cases": count,
            "columns": dataset.columns,
            "unmapped": dataset.unmapped,
            "notes": [note.as_dict() for note in notes],
        }
        terminal.say_json(msgspec.json.encode(report))
        return 0
    if dataset.unmapped:
        terminal.tell(f"not used: {', '.join(dataset.unmapped)}")
    tell_notes(notes)
    terminal.say(f"{target} written: {count:,} test case{'' if count == 1 else 's'}")
    return 0


def _pair(written: str) -> tuple[str, str]:
    name, mark, column = written.partition("=")
    if not mark or not name.strip() or not column.strip():
        raise click.BadParameter(f"{written!r} is not NAME=COLUMN", param_hint="--map")
    return name.strip(), column.strip()
