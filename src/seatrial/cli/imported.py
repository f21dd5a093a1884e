"""What all imports do alike: never overwrite unasked, write whole files, tell what was not carried over."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seatrial.cli import terminal
from seatrial.config.notes import Note
from seatrial.errors import ConfigError

_SHOWN = 100


def refuse_overwriting(targets: Sequence[Path], *, force: bool) -> None:
    """Raises `ConfigError` when one of the files is there and nobody said ``--force``."""
    there = next((target for target in targets if target.exists()), None)
    if there is not None and not force:
        raise ConfigError(f"{there} is there already", hint="choose another --output, or overwrite it with --force")


def write_all(texts: Mapping[Path, str]) -> None:
    """Writes the files, each whole or not at all. Raises `ConfigError` where that cannot be done."""
    for path, text in texts.items():
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            beside.write_text(text, encoding="utf-8", newline="\n")
            beside.replace(path)
        except OSError as error:
            beside.unlink(missing_ok=True)
            raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from None


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
