"""The two kinds of reporter: a listener follows a run, a document is written of a stored one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

from seatrial.errors import ConfigError
from seatrial.reporters.report import Report
from seatrial.runs.events import RunEvent


class Listener(Protocol):
    """Follows a run. Called in the event loop's thread: it must be quick and must not raise."""

    def __call__(self, event: RunEvent) -> None:
        """Takes notice of one event."""


class DocumentWriter(Protocol):
    """Writes a run as one document, in UTF-8."""

    def __call__(self, report: Report, out: BinaryIO) -> None:
        """Writes all of it; trials are read as they are written, so that memory stays small."""


def check_target(path: Path) -> None:
    """Raises `ConfigError` when a document could not be written there: before the run, not after it."""
    if path.is_dir():
        raise ConfigError(f"{path} is a folder", hint="give the name of a file")
    if not path.absolute().parent.is_dir():
        raise ConfigError(f"{path} cannot be written: there is no folder {path.parent}", hint="make the folder first")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise ConfigError(f"{path} cannot be written: permission denied")


def write_document(writer: DocumentWriter, report: Report, path: Path) -> None:
    """Writes the document beside its place and moves it there whole; a pipe or device is written to directly."""
    if path.exists() and not path.is_file():
        with path.open("wb") as out:
            writer(report, out)
        return
    _write_whole(path, lambda out: writer(report, out))


def _write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.absolute().parent)
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            write(out)
        beside.chmod(_usual_mode())
        beside.replace(path)
    except BaseException:
        beside.unlink()
        raise


def write_bytes(document: bytes, path: Path) -> None:
    """Writes a document that is no report of a run in the same way."""
    if path.exists() and not path.is_file():
        path.write_bytes(document)
        return
    _write_whole(path, lambda out: out.write(document))


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
