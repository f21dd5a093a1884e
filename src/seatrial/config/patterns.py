"""Which files a path or a pattern like ``cases/*.yaml`` names."""

from __future__ import annotations

from pathlib import Path

from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.names import nearest

_MAGIC = ("*", "?", "[")


def files_of(written: str, folder: Path, place: Place) -> tuple[list[Path], list[Diagnostic]]:
    """The files, patterns in the order of their names; a finding when there is none."""
    if not any(mark in written for mark in _MAGIC) or (folder / written).exists():
        return _one_file(written, folder, place)
    anchor = Path(written).anchor
    found = Path(anchor).glob(written.removeprefix(anchor)) if anchor else folder.glob(written)
    paths = sorted(path for path in found if path.is_file())
    if paths:
        return paths, []
    message = f"no file matches {written}"
    return [], [Diagnostic("error", "ST301", message, place, hint=f"looked in {folder}")]


def _one_file(written: str, folder: Path, place: Place) -> tuple[list[Path], list[Diagnostic]]:
    path = folder / Path(written).expanduser()
    try:
        if path.is_file():
            return [path], []
        is_folder = path.is_dir()
        names = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    except (OSError, ValueError) as error:
        return [], [Diagnostic("error", "ST302", f"{written[:80]} is no usable path: {error}", place)]
    if is_folder:
        hint = f"write {Path(written).as_posix()}/*.yaml to take all files in it"
        return [], [Diagnostic("error", "ST302", f"{written} is a folder, and a file is needed", place, hint=hint)]
    near = nearest(path.name, names)
    hint = f"did you mean {Path(written).with_name(near).as_posix()}?" if near else f"looked for {path}"
    return [], [Diagnostic("error", "ST301", f"{written} does not exist", place, hint=hint)]
