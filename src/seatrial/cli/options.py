"""Options that several commands share, and the run store that they lead to; light, for commands that build no agent."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from seatrial.runs.names import store_file
from seatrial.runs.store import RunStore, open_store

_STORE_VARIABLE = "SEATRIAL_STORE"

agent_option = click.option(
    "-a",
    "--agent",
    "agent",
    type=click.Path(path_type=Path),
    default=Path(),
    metavar="PATH",
    help="The agent file or its folder (default: here); of a file only its own runs count.",
)


def _stays_put(_context: click.Context, _option: click.Parameter, place: str | None) -> str | None:
    """A store's path as it is from everywhere: a tool may change the working folder."""
    return _from_here(place)


def _from_here(place: str | None) -> str | None:
    return place if not place or "://" in place else str(Path(place).absolute())


store_option = click.option(
    "--store",
    "place",
    envvar=_STORE_VARIABLE,
    metavar="PLACE",
    callback=_stays_put,
    help="Where runs are kept: a file or postgresql://... (default: .seatrial/runs.db beside the agent file).",
)


def store_in_words(place: str | None) -> str | None:
    """What a command to copy says after ``--store``: no password, and nothing where the environment says it already."""
    if not place or place == _from_here(os.environ.get(_STORE_VARIABLE)):
        return None
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1@", place)


def store_as_input(folder: Path, place: str | None) -> dict[Path, str]:
    """The file of that store and what it is, for `refuse_inputs`; nothing where the store is no file."""
    return {} if place and "://" in place else {Path(place or store_file(folder)): "the store of the runs"}


def open_runs(folder: Path, place: str | None, *, create: bool) -> RunStore:
    """The run store that the command line names, else the one of the agent's folder."""
    return open_store(place or store_file(folder), create=create)
