"""Options that several commands share, and the run store that they lead to; light, for commands that build no agent."""

from __future__ import annotations

from pathlib import Path

import click

from seatrial.runs.store import RunStore, open_store, store_file

agent_option = click.option(
    "-a",
    "--agent",
    "agent",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="PATH",
    help="The agent file or its folder (default: here); of a file only its own runs count.",
)


store_option = click.option(
    "--store",
    "place",
    envvar="SEATRIAL_STORE",
    metavar="PLACE",
    help="Where runs are kept: a file or postgresql://... (default: .seatrial/runs.db beside the agent file).",
)


def open_runs(folder: Path, place: str | None, *, create: bool) -> RunStore:
    """The run store that the command line names, else the one of the agent's folder."""
    return open_store(place or store_file(folder), create=create)
