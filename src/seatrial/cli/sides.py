"""From what the command line names to the two sides of a comparison."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from seatrial.config.paths import kind_of
from seatrial.errors import RunError
from seatrial.runs.baseline import read_baseline
from seatrial.runs.sides import Side, side_of_run
from seatrial.runs.store import RunStore, resolve_run


def is_baseline(name: str) -> bool:
    """Whether a file is meant, and no run: ids hold neither a dot nor a slash."""
    return name.endswith(".json") or kind_of(Path(name)) == "file"


def side_of(name: str, store: RunStore | None, file: str | None = None) -> Side:
    """The run, or the baseline in a file, that ``name`` means; the baseline with the files of its run if they are kept.

    With ``file`` the last run is that of the agent file of this name. Raises `RunError` when there is no such thing.
    """
    if not is_baseline(name):
        if store is None:
            raise RunError("no run is stored here yet", hint="`seatrial test` runs the cases and stores the results")
        return side_of_run(store, resolve_run(store, name, file))
    side = read_baseline(Path(name))
    if store is None or side.run not in store.find(side.run):
        return side
    run = store.run(side.run)
    return replace(side, sources=run.sources, has_all_files=run.has_all_files)
