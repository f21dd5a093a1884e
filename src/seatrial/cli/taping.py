"""``seatrial test`` on tape: ``--record``, ``--replay``, ``--record-missing`` and ``--live-tools``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from seatrial.cli import terminal
from seatrial.config.loaded import LoadedAgent
from seatrial.config.secrets import MASK
from seatrial.recording.deck import Deck, Masking
from seatrial.runner.plan import case_names
from seatrial.runs.masking import Masker


@dataclass(frozen=True, slots=True)
class Taping:
    """Where a run is recorded, or replayed from, if it is. ``goes_on``: what an earlier part recorded is kept."""

    folder: Path | None = None
    is_recording: bool = False
    is_replaying: bool = False
    has_live_tools: bool = False
    goes_on: bool = False

    @property
    def stand_in(self) -> str | None:
        """What stands for a key that is not set: in a replay nobody needs it."""
        return MASK if self.is_replaying else None

    @property
    def needs_tools(self) -> bool:
        """Whether tools may be run for real."""
        return not self.is_replaying or self.has_live_tools or self.is_recording

    @property
    def target(self) -> Path | None:
        """The folder that is written to, None when none is."""
        return self.folder.absolute() if self.folder is not None and self.is_recording else None

    def deck(self, loaded: LoadedAgent) -> Deck | None:
        """The recording to use, None when none is asked for. Raises `RunError` when it is not there."""
        if self.folder is None:
            return None
        masker = Masker(loaded.secrets)
        return Deck(
            self.folder,
            case_names(loaded.require().test_cases),
            is_recording=self.is_recording,
            is_replaying=self.is_replaying,
            has_live_tools=self.has_live_tools,
            keeps_others=self.goes_on,
            masking=Masking(masker.text, masker.record),
        )

    def tell_end(self, deck: Deck | None, *, is_whole_suite: bool) -> bool:
        """Says on stderr what of the recording was not used, and what could not be written; whether all could."""
        if deck is None:
            return True
        for what in deck.close(is_whole_suite=is_whole_suite):
            terminal.tell(f"not used of the recording: {what}")
        if deck.unkept is not None:
            terminal.tell(f"error: {deck.unkept}")
            terminal.tell("  the results are kept; once there is room, --replay with --record-missing records the rest")
        return deck.unkept is None


def taping_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The four options; the command gets ``record``, ``replay``, ``record_missing`` and ``live_tools``."""
    folder = click.Path(path_type=Path, file_okay=False)
    for option in (
        click.option("--live-tools", is_flag=True, help="With --replay: run the tools for real."),
        click.option("--record-missing", is_flag=True, help="With --replay: call for what is missing, and record it."),
        click.option("--replay", type=folder, metavar="DIR", help="Answer from the recording in DIR; call nothing."),
        click.option(
            "--record", type=folder, metavar="DIR", help="Keep every call of each case in DIR, one file each."
        ),
    ):
        command = option(command)
    return command


def taping(
    record: Path | None, replay: Path | None, *, record_missing: bool, live_tools: bool, is_resumed: bool
) -> Taping:
    """What the options ask for. Raises a usage error when they contradict each other."""
    if record is not None and replay is not None:
        raise click.UsageError(
            "--record makes every call anew and --replay makes none; for both, --replay DIR --record-missing"
        )
    flags = [name for name, is_set in (("--record-missing", record_missing), ("--live-tools", live_tools)) if is_set]
    if flags and replay is None:
        verb = "needs" if len(flags) == 1 else "need"
        raise click.UsageError(f"{' and '.join(flags)} {verb} --replay DIR, the recording to go by")
    return Taping(
        folder=record or replay,
        is_recording=record is not None or record_missing,
        is_replaying=replay is not None,
        has_live_tools=live_tools,
        goes_on=is_resumed,
    )
