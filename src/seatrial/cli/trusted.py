"""The folders whose agent files may start programs. They are remembered outside of them, where no file can say so."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def is_trusted(folder: Path, environ: Mapping[str, str]) -> bool:
    """Whether the folder, or one that it lies in, was trusted."""
    file = _file(environ)
    try:
        known = set(file.read_text(encoding="utf-8").splitlines()) if file is not None else set()
    except OSError:
        return False
    return any(str(each) in known for each in (folder.resolve(), *folder.resolve().parents))


def trust(folder: Path, environ: Mapping[str, str]) -> None:
    """Remembers the folder. Where that cannot be written, the question will be asked again."""
    file = _file(environ)
    if file is None or is_trusted(folder, environ):
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as stream:
            stream.write(f"{folder.resolve()}\n")
    except OSError:
        return


def _file(environ: Mapping[str, str]) -> Path | None:
    home = environ.get("XDG_STATE_HOME") or (
        Path(environ["HOME"]) / ".local" / "state" if environ.get("HOME") else None
    )
    return None if home is None else Path(home) / "seatrial" / "trusted-folders"
