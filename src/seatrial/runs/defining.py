"""The files that make an agent what it is, as a run remembers them: path, hash, and the text where it is short."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from seatrial.config.files_named import files_defining, files_inside
from seatrial.config.loaded import LoadedAgent
from seatrial.config.secrets import mask
from seatrial.runs.records import Source

_MOST_TEXT = 1_000_000
_MOST_HASHED = 64_000_000


def sources_of(loaded: LoadedAgent) -> Iterator[Source]:
    """The agent's files, by their paths from its folder: from wherever it is run, they are the same.

    Of folders, of what is no text and of large files only a hash is kept; secrets are masked.
    """
    read = {path.absolute(): source for path, source in loaded.sources.items()}
    for path, source in read.items():
        text = mask(source.text, loaded.secrets) if len(source.text) <= _MOST_TEXT else ""
        yield Source(name_from(path, loaded), source.sha256, text)
    for path in files_defining(loaded):
        if path.is_dir():
            yield Source(f"{name_from(path, loaded)}/", _hash_of_folder(path), "")
        elif path not in read:
            yield _source(path, loaded)


def name_from(path: Path, loaded: LoadedAgent) -> str:
    """The path from the agent's folder, with slashes."""
    return Path(os.path.relpath(path, loaded.folder)).as_posix()


def _source(path: Path, loaded: LoadedAgent) -> Source:
    text = _text_of(path)
    if text is None:
        return Source(name_from(path, loaded), _mark_of(path), "")
    return Source(name_from(path, loaded), hashlib.sha256(text.encode()).hexdigest(), mask(text, loaded.secrets))


def _text_of(path: Path) -> str | None:
    """The text with ``\\n`` as line ends; None for what is large, cannot be read or is none."""
    try:
        if path.stat().st_size > _MOST_TEXT:
            return None
        text = path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
    return None if "\0" in text else text.replace("\r\n", "\n").replace("\r", "\n")


def _hash_of_folder(folder: Path) -> str:
    """A hash of the listing: each file's path, size and mark."""
    listing = hashlib.sha256()
    for path in files_inside(folder):
        name = path.relative_to(folder).as_posix()
        listing.update(f"{name}\0{_mark_of(path)}\n".encode("utf-8", "surrogateescape"))
    return listing.hexdigest()


def _mark_of(path: Path) -> str:
    """The hash of the content; of a very large file, of its size and time. What cannot be read has its own."""
    try:
        stat = path.stat()
        if stat.st_size > _MOST_HASHED:
            return hashlib.sha256(f"{stat.st_size} {stat.st_mtime_ns}".encode()).hexdigest()
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        return hashlib.sha256(f"unreadable: {error.errno}".encode()).hexdigest()
