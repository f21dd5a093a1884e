"""Where runs are kept: the protocol of a store, the table of kinds, and the way to find a run by its name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path, PurePath
from typing import Protocol

from seatrial.core.text import excerpt
from seatrial.errors import RunError
from seatrial.plugins import Registry
from seatrial.runs.records import CaseTally, Outcome, RunRecord, Tally, TrialKey, TrialRecord


class RunStore(AbstractContextManager["RunStore"], Protocol):
    """Keeps runs. Methods block; each write is one committed transaction; several processes may use one store.

    Raises `RunError` for what is missing and `StoreError` when the store cannot be read or written. An open store may
    be used from one thread at a time.
    """

    @property
    def is_gone(self) -> bool:
        """Whether somebody removed it while it was open: what is written into it then is lost."""

    def begin_run(self, run: RunRecord) -> None:
        """Writes a new run, or replaces the record of a known one."""

    def add_trials(self, run_id: str, trials: Sequence[TrialRecord]) -> None:
        """Writes finished trials; one with a known key replaces the earlier."""

    def end_run(self, run: RunRecord) -> None:
        """Replaces the run's record."""

    def run(self, run_id: str) -> RunRecord:
        """The run of exactly this id."""

    def runs(self, limit: int | None = None) -> list[RunRecord]:
        """The newest first, without their sources' text."""

    def find(self, prefix: str) -> list[str]:
        """Ids that start or end with ``prefix``, the newest first."""

    def trials(
        self,
        run_id: str,
        *,
        case: str | None = None,
        outcomes: Collection[Outcome] | None = None,
        with_messages: bool = False,
    ) -> Iterator[TrialRecord]:
        """The run's trials in the order of the file, read as they are asked for."""

    def done(self, run_id: str) -> set[TrialKey]:
        """The keys of the trials that have run."""

    def tally(self, run_id: str) -> Tally:
        """Counts and sums over the run's trials."""

    def case_tallies(self, run_id: str) -> list[CaseTally]:
        """The same by case and variant, in the order of the file."""

    def delete_run(self, run_id: str) -> None:
        """Removes the run and everything that only it uses."""

    def compact(self) -> None:
        """Gives the space of what was deleted back."""

    def close(self) -> None:
        """Lets go of the store."""


class StoreOpener(Protocol):
    """The shape of a catalogue entry."""

    def __call__(self, place: str, *, create: bool = True) -> RunStore:
        """Opens the store at a path or URL; without ``create`` a store that is not there is a `RunError`."""


STORES: Registry[StoreOpener] = Registry(
    "run store",
    "seatrial.run_stores",
    {
        "sqlite": "seatrial.runs.sqlite:open_sqlite",
        "postgresql": "seatrial.runs.postgres:open_postgres",
        "postgres": "seatrial.runs.postgres:open_postgres",
    },
)


def open_store(place: str | Path, *, create: bool = True) -> RunStore:
    """Opens a store by path, or by a URL whose scheme names its kind."""
    kind, separator, _ = str(place).partition("://")
    return STORES.load(kind if separator else "sqlite")(str(place), create=create)


_DIGITS = 9
_NAME_BYTES = 60


def _steps_back(name: str) -> int | None:
    """0 for ``last``, 2 for ``last~2``; None for any other name."""
    word, tilde, number = name.partition("~")
    if word not in ("last", "latest") or (tilde and not number.isdecimal()):
        return None
    if not tilde:
        return 0
    return int(number) if len(number) <= _DIGITS else 10**_DIGITS


def runs_of(store: RunStore, file: str | None, limit: int | None = None) -> list[RunRecord]:
    """The newest first; with ``file`` only those of the agent file of this name, for all in a folder share a store."""
    if file is None:
        return store.runs(limit)
    return [run for run in store.runs() if PurePath(run.agent_file).name == file][:limit]


def resolve_run(store: RunStore, name: str | None, file: str | None = None) -> RunRecord:
    """The run that ``name`` means: an id, the start or end of one, ``last`` (also None), or ``last~1`` before it.

    With ``file`` the last one is that of the agent file of this name.
    """
    back = 0 if name is None else _steps_back(name)
    if back is not None:
        newest = runs_of(store, file, back + 1)
        of_file = "" if file is None else f" of {file}"
        if not newest:
            told = of_file if store.runs(1) else ""
            raise RunError(
                f"no run{told} is stored here yet", hint="`seatrial test` runs the cases and stores the results"
            )
        if len(newest) <= back:
            told = f"there is no run {name}{of_file}: {len(newest)} stored"
            raise RunError(told, hint="`seatrial runs list` shows them")
        return store.run(newest[back].id)
    found = store.find(name or "")
    if len(found) == 1 or name in found:
        return store.run(name if name in found else found[0])
    if not found:
        raise RunError(
            f"there is no stored run {excerpt(name or '', _NAME_BYTES)!r}",
            hint="`seatrial runs list` shows those that there are",
        )
    raise RunError(f"{name!r} could be any of {', '.join(found[:5])}", hint="give more of the id")
