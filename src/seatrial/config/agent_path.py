"""Which agent file a path means, and what to say when there is none."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.paths import kind_of, names_in, near_path

_FILE_NAMES = ("agent.yaml", "agent.yml")
_SHOWN = 5


def agent_file(path: Path) -> Path:
    """The agent file that a path names: itself, or the one in the folder."""
    if kind_of(path) != "folder":
        return path
    candidates = [path / name for name in _FILE_NAMES]
    return next((candidate for candidate in candidates if kind_of(candidate) != "missing"), candidates[0])


def named_file(path: Path) -> str | None:
    """The name of the agent file when the path names one itself, None for a folder."""
    return None if kind_of(path) == "folder" else path.name


def no_agent_file(path: Path) -> Diagnostic:
    """What to say of an agent file that does not exist: how to make one, or which of those around was meant."""
    folder = path.parent
    is_default = path.name in _FILE_NAMES
    if kind_of(folder) != "folder":
        message = f"there is no folder {folder}"
    elif is_default:
        message = f"there is no agent file in {'this folder' if folder == Path() else folder}"
    else:
        message = f"{path} does not exist"
    near = None if is_default else near_path(path, str(path))
    hint = f"did you mean {near}?" if near else _what_to_do(folder)
    return Diagnostic("error", "ST301", message, Place(path), hint=hint)


def _what_to_do(folder: Path) -> str:
    found = list(islice(_agent_files(folder), _SHOWN))
    if found:
        return f"name the file or its folder; found: {', '.join(found)}"
    others = sorted(name for name in names_in(folder) if name.endswith((".yaml", ".yml")))[:_SHOWN]
    beside = f" (in this folder: {', '.join(others)})" if others else ""
    return f"`seatrial init` writes one; or name the file or its folder{beside}"


def _agent_files(folder: Path) -> Iterator[str]:
    """Those in the folder, then those one level below."""
    holders = [folder, *(folder / name for name in sorted(names_in(folder)) if not name.startswith("."))]
    for holder in holders:
        yield from (str(holder / name) for name in _FILE_NAMES if kind_of(holder / name) == "file")
