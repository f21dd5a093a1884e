"""What all imports do alike: never overwrite unasked, tell what was not carried over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from seatrial.cli import terminal
from seatrial.cli.targets import refuse_inputs
from seatrial.config.notes import Note
from seatrial.errors import ConfigError
from seatrial.reporters.base import check_target

_SHOWN = 100


def refuse_targets(targets: Sequence[Path], source: Path, *, force: bool) -> None:
    """Raises `ConfigError` for a file that cannot be written, for the source, and without ``--force`` for one there."""
    refuse_inputs(targets, {source: "what is imported"})
    there = next((target for target in targets if target.exists()), None)
    if there is not None and not force:
        raise ConfigError(f"{there} is there already", hint="choose another --output, or overwrite it with --force")
    for target in targets:
        check_target(target)


def as_bytes(text: str) -> bytes:
    """The text as it is written: halves of a surrogate pair, which no file can hold, become question marks."""
    return text.encode(errors="replace")


def tell_notes(notes: Sequence[Note]) -> None:
    """The notes on stderr, of very many the first hundred."""
    for note in notes[:_SHOWN]:
        terminal.tell(note.text)
    if len(notes) > _SHOWN:
        terminal.tell(f"... and {len(notes) - _SHOWN:,} more; --json lists all")


def counts(notes: Sequence[Note]) -> dict[str, Any]:
    """How many notes there are of each kind."""
    left = sum(note.kind == "left out" for note in notes)
    return {"left_out": left, "changed": len(notes) - left}
