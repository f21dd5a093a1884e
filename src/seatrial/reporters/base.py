"""The two kinds of reporter: a listener follows a run, a document is written of a stored one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

from seatrial.config.paths import kind_of
from seatrial.core.text import excerpt
from seatrial.errors import ConfigError, ReportError
from seatrial.reporters.report import Report
from seatrial.runs.events import RunEvent

_SHOWN_BYTES = 100
_NAME_KEPT = 40


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
    if kind_of(path) == "folder":
        raise ConfigError(f"{path} is a folder", hint="give the name of a file")
    if kind_of(path.absolute().parent) != "folder":
        raise ConfigError(f"{path} cannot be written: there is no folder {path.parent}", hint="make the folder first")
    try:
        if path.exists() and not path.is_file():
            path.open("ab").close()
        else:
            _try_to_write(path)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{excerpt(str(path), _SHOWN_BYTES)} cannot be written: {_why(error)}") from error


def write_document(writer: DocumentWriter, report: Report, path: Path) -> None:
    """Writes the document beside its place and moves it there whole; a pipe or device is written to directly.

    Raises `ReportError` when the place takes no more, or is gone.
    """
    write_stream(path, lambda out: writer(report, out))


def _write_whole(path: Path, write: Callable[[BinaryIO], object]) -> None:
    handle, name = tempfile.mkstemp(prefix=_beside(path), dir=path.absolute().parent)
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
    write_stream(path, lambda out: out.write(document))


def write_stream(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Writes in the same way what ``write`` writes; when it raises, what stood there stays."""
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as out:
                write(out)
        else:
            _write_whole(path, write)
    except OSError as error:
        raise ReportError(f"{path} cannot be written: {_why(error)}") from error


def _try_to_write(path: Path) -> None:
    """Does what writing it will do, but leaves what is there."""
    handle, name = tempfile.mkstemp(prefix=_beside(path), dir=path.absolute().parent)
    os.close(handle)
    Path(name).unlink()
    if path.exists():
        path.open("ab").close()
    else:
        path.open("xb").close()
        path.unlink()


def _beside(path: Path) -> str:
    """The beginning of the name of the file that takes its place when it is whole."""
    return f".{path.name[:_NAME_KEPT]}."


def _why(error: OSError | ValueError) -> str:
    return ((error.strerror if isinstance(error, OSError) else None) or str(error)).lower()


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
