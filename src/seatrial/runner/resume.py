"""Going on with a run that was not finished."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import unified_diff

from seatrial.errors import RunError
from seatrial.runs.provenance import is_under_way
from seatrial.runs.records import RunRecord, Source

_DIFF_LINES = 20


def refuse_if_unfit(run: RunRecord, sources: Sequence[Source], *, is_forced: bool) -> list[str]:
    """What changed in the agent's files since the run began, in words; empty when nothing did.

    Raises `RunError` when something changed and it is not forced, or when the run is still being written.
    """
    if is_under_way(run):
        raise RunError(f"run {run.id} is still under way", hint="wait for its end, or stop it first")
    changed = changes(run.sources, sources if run.has_all_files else _known_to(run, sources))
    if changed and not is_forced:
        names = ", ".join(line.splitlines()[0] for line in changed)
        raise RunError(
            f"run {run.id} cannot be resumed: {names}",
            hint="results of two different agents would stand in one run; `--force` goes on all the same, "
            "without --resume a new run starts",
        )
    return changed


def _known_to(run: RunRecord, sources: Sequence[Source]) -> list[Source]:
    """Those that the run's record holds too: it was written when fewer files were kept."""
    paths = {source.path for source in run.sources}
    return [source for source in sources if source.path in paths]


def changes(before: Sequence[Source], now: Sequence[Source]) -> list[str]:
    """One text per file that is new, gone or different; a different one with the lines that changed."""
    old, new = {source.path: source for source in before}, {source.path: source for source in now}
    told = [f"{path} is gone" for path in old if path not in new]
    told += [f"{path} is new" for path in new if path not in old]
    for path in old:
        if path in new and old[path].sha256 != new[path].sha256:
            told.append("\n".join([f"{path} changed", *_difference(old[path].text, new[path].text)]))
    return told


def _difference(before: str, now: str) -> list[str]:
    if not before or not now:  # of some files only the hash is kept
        return []
    lines = list(unified_diff(before.splitlines(), now.splitlines(), lineterm="", n=0))[2:]
    shown = [line for line in lines if not line.startswith("@@")]
    more = len(shown) - _DIFF_LINES
    return [*shown[:_DIFF_LINES], f"and {more} more lines"] if more > 0 else shown
