"""Paths and patterns as an agent file writes them: relative to its folder, with ``~`` for the home folder."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Literal

from seatrial.config.names import nearest

PathKind = Literal["file", "folder", "other", "missing", "unusable"]
_MAGIC = ("*", "?", "[")
_MAX_ENTRIES = 20_000
_MAX_NAMES = 1_000
_MAX_DEPTH = 200


def from_folder(folder: Path, written: str) -> Path:
    """The path that ``written`` means in a file of that folder."""
    try:
        return folder / Path(written).expanduser()
    except RuntimeError:
        return folder / written


def kind_of(path: Path) -> PathKind:
    """What is at the path; ``other`` is a device or the like, ``unusable`` no name of a file. Never raises."""
    try:
        if path.is_file():
            return "file"
        if path.is_dir():
            return "folder"
        return "other" if path.exists() else "missing"
    except (OSError, ValueError):
        return "unusable"


def name_of_kind(path: Path) -> str:
    """What is at the path, in words: ``a folder``, ``a device``, ``a named pipe``."""
    tests = {"folder": Path.is_dir, "named pipe": Path.is_fifo, "socket": Path.is_socket}
    found = next((name for name, is_one in tests.items() if is_one(path)), "device")
    return f"a {found}"


def is_pattern(written: str) -> bool:
    """Whether it has one of the marks ``*``, ``?`` and ``[``."""
    return any(mark in written for mark in _MAGIC)


def matching_files(folder: Path, pattern: str) -> list[Path] | None:
    """The files that a pattern like ``cases/**/*.yaml`` matches, by name; None when the search would never end."""
    anchor = Path(pattern).anchor
    parts = [part for part in pattern.removeprefix(anchor).split("/") if part not in ("", ".")]
    try:
        return sorted(_matching(Path(anchor) if anchor else folder, parts, _Budget()))
    except _TooManyError:
        return None


class _TooManyError(Exception):
    """More files were looked at than a pattern of test cases can mean."""


class _Budget:
    left = _MAX_ENTRIES

    def entries(self, folder: Path) -> list[Path]:
        """What is in the folder; nothing for what is none or may not be read."""
        try:
            found = list(folder.iterdir())
        except (OSError, ValueError):
            return []
        self.left -= len(found)
        if self.left < 0 or len(folder.parts) > _MAX_DEPTH:
            raise _TooManyError
        return found


def _matching(folder: Path, parts: list[str], budget: _Budget) -> set[Path]:
    if not parts:
        return {folder} if kind_of(folder) == "file" else set()
    first, *rest = parts
    if first == "**":
        below = [entry for entry in budget.entries(folder) if kind_of(entry) == "folder" and not entry.is_symlink()]
        here = _matching(folder, rest, budget) if rest else set()
        return here.union(*(_matching(entry, parts, budget) for entry in below if not entry.name.startswith(".")))
    if not is_pattern(first):
        return _matching(folder / first, rest, budget)
    names = [entry for entry in budget.entries(folder) if fnmatchcase(entry.name, first) and _may_match(entry, first)]
    return set().union(*(_matching(entry, rest, budget) for entry in names))


def _may_match(entry: Path, pattern: str) -> bool:
    """Hidden files are meant only by a pattern that begins with a dot itself."""
    return not entry.name.startswith(".") or pattern.startswith(".")


def near_path(target: Path, written: str, names: Iterable[str] | None = None) -> str | None:
    """The path as written, with its last part mended: the nearest of ``names``, or of what is there."""
    near = nearest(target.name, names_in(target.parent) if names is None else names)
    return None if near is None else Path(written).with_name(near).as_posix()


def names_in(folder: Path) -> tuple[str, ...]:
    """The names of what is in a folder, not more than a thousand."""
    try:
        return tuple(entry.name for entry in islice(folder.iterdir(), _MAX_NAMES))
    except (OSError, ValueError):
        return ()
