"""Paths and patterns as an agent file writes them: relative to its folder, with ``~`` for the home folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from seatrial.config.names import nearest

PathKind = Literal["file", "folder", "missing", "unusable"]
_MAGIC = ("*", "?", "[")


def from_folder(folder: Path, written: str) -> Path:
    """The path that ``written`` means in a file of that folder."""
    try:
        return folder / Path(written).expanduser()
    except RuntimeError:
        return folder / written


def kind_of(path: Path) -> PathKind:
    """What is at the path; ``unusable`` for what no file can be named. Never raises."""
    try:
        if path.is_file():
            return "file"
        return "folder" if path.exists() else "missing"
    except (OSError, ValueError):
        return "unusable"


def is_pattern(written: str) -> bool:
    """Whether it has one of the marks ``*``, ``?`` and ``[``."""
    return any(mark in written for mark in _MAGIC)


def matching_files(folder: Path, pattern: str) -> list[Path]:
    """The files that a pattern like ``cases/*.yaml`` matches, by name; none for a pattern that cannot be used."""
    anchor = Path(pattern).anchor
    try:
        found = Path(anchor).glob(pattern.removeprefix(anchor)) if anchor else folder.glob(pattern)
        return sorted(path for path in found if path.is_file())
    except (OSError, ValueError, NotImplementedError):
        return []


def near_path(target: Path, written: str) -> str | None:
    """The path as written, with its last part mended: the nearest name that is there."""
    near = nearest(target.name, _names_in(target.parent))
    return None if near is None else Path(written).with_name(near).as_posix()


def _names_in(folder: Path) -> Iterator[str]:
    try:
        yield from (entry.name for entry in folder.iterdir())
    except (OSError, ValueError):
        return
