"""Writes down what the shell completes, so that completing loads no command: ``make_completion_words.py [--check]``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from seatrial.cli.main import cli

FILE = Path(__file__).parents[1] / "src" / "seatrial" / "cli" / "completion_words.json"


def kind(parameter: click.Parameter) -> str | list[str]:
    """What a value may be: a choice's words, ``run``, ``file``, or ``""`` for what cannot be told."""
    if isinstance(parameter.type, click.Choice):
        return [str(choice) for choice in parameter.type.choices]
    metavar = parameter.metavar or ""
    if "RUN" in metavar or metavar in ("[A]", "[B]"):
        return "run"
    is_path = isinstance(parameter.type, click.Path) or metavar in ("FILE", "DIR", "[DIR]", "[AGENT]")
    return "file" if is_path else ""


def words(command: click.Command, name: str) -> dict[str, Any]:
    """The command's entry and those of the commands below it, by their names."""
    ctx = click.Context(command, info_name=name)
    options: dict[str, Any] = {}
    for parameter in command.get_params(ctx):
        if isinstance(parameter, click.Option) and not parameter.hidden:
            takes = None if parameter.is_flag or parameter.count else kind(parameter)
            options |= dict.fromkeys((*parameter.opts, *parameter.secondary_opts), takes)
    values = [kind(each) for each in command.params if isinstance(each, click.Argument)]
    entries: dict[str, Any] = {name: {"options": options, "values": values}}
    if isinstance(command, click.Group):
        below = {each: command.get_command(ctx, each) for each in command.list_commands(ctx)}
        entries[name]["commands"] = {key: found.get_short_help_str(80) for key, found in below.items() if found}
        for key, found in below.items():
            entries |= words(found, f"{name} {key}".strip()) if found else {}
    return entries


def main() -> int:
    """Writes the file, or says with ``--check`` whether it is up to date."""
    text = json.dumps(words(cli, ""), indent=1, ensure_ascii=False) + "\n"
    if "--check" in sys.argv:
        return 0 if FILE.is_file() and FILE.read_text(encoding="utf-8") == text else 1
    FILE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
