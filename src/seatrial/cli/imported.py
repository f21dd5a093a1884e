"""What all imports do alike: never overwrite unasked, write whole files, tell what was not carried over."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from seatrial.cli import terminal
from seatrial.config.notes import Note
from seatrial.errors import ConfigError

_SHOWN = 100


def refuse_overwriting(targets: Sequence[Path], *, force: bool) -> None:
    """Raises `ConfigError` when one of the files is there and nobody said ``--force``."""
    there = next((target for target in targets if target.exists()), None)
    if there is not None and not force:
        raise ConfigError(f"{there} is there already", hint="choose another --output, or overwrite it with --force")


@contextmanager
def whole_file(path: Path) -> Iterator[TextIO]:
    """A file to write that is there only once all is written. Raises `ConfigError` where that cannot be done."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("w", encoding="utf-8", errors="replace", newline="\n") as out:
            yield out
        beside.replace(path)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def write_all(texts: Mapping[Path, str]) -> None:
    """Writes the files, each whole or not at all."""
    for path, text in texts.items():
        with whole_file(path) as out:
            out.write(text)


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
