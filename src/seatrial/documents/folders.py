"""The files of a source: one file, or a folder with everything in it that a reader knows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from seatrial.documents.catalog import type_of
from seatrial.documents.globs import matcher
from seatrial.errors import DocumentError


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file to read. ``source`` is its path below the source folder, with forward slashes."""

    path: Path
    source: str
    size: int
    modified_ns: int


def source_files(root: Path, *, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> list[SourceFile]:
    """The files below ``root`` (or ``root`` itself), sorted by name; hidden ones and unknown types are left out.

    ``include`` and ``exclude`` are globs against the path below the folder, see `matcher`; no ``include`` means every
    known type, and ``exclude`` wins. Links that lead out of the folder are not followed. Raises `DocumentError` when
    ``root`` is not there.
    """
    if root.is_file():
        return [_source_file(root, root.name)]
    if not root.is_dir():
        raise DocumentError(f"{root} does not exist", hint="source is a file or a folder, relative to the agent file")
    inside = root.resolve()
    found = [
        _source_file(path, source)
        for path, source in _chosen(root, include, exclude)
        if path.resolve().is_relative_to(inside)
    ]
    return sorted(found, key=lambda file: file.source)


def has_source_files(folder: Path, *, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> bool:
    """Whether any file below the folder would be taken; stops at the first."""
    return next(_chosen(folder, include, exclude), None) is not None


def _chosen(root: Path, include: Sequence[str], exclude: Sequence[str]) -> Iterator[tuple[Path, str]]:
    is_wanted, is_left_out = matcher(include or ("**",)), matcher(exclude)
    for path in _known_types(root):
        source = path.relative_to(root).as_posix()
        if is_wanted(source) and not is_left_out(source):
            yield path, source


def _known_types(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(folder, name)
            if not name.startswith((".", "~$")) and type_of(path) is not None and path.is_file():
                yield path


def _source_file(path: Path, source: str) -> SourceFile:
    status = path.stat()
    return SourceFile(path, source, status.st_size, status.st_mtime_ns)
