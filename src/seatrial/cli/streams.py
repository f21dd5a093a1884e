"""The process's standard streams, made such that nothing that happens to them changes what a command comes to."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from select import select
from typing import TextIO, cast

_STANDARD = (0, 1, 2)
_OUTPUT_ERRORS = frozenset({errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.EBADF, errno.EPIPE})


class Sink(io.RawIOBase):
    """Writes to another raw stream, and remembers in ``lost`` why it could not, where others would raise.

    What cannot be written is dropped; the next piece is tried again, for the descriptor may lead elsewhere by then.
    ``of``: what is lost, is remembered there.
    """

    def __init__(self, raw: io.RawIOBase, *, of: Sink | None = None) -> None:
        super().__init__()
        self._raw = raw
        self._of = of
        self.lost: OSError | None = None

    def writable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """The descriptor behind it."""
        return self._raw.fileno()

    def isatty(self) -> bool:
        """Whether a terminal is behind it."""
        return self._raw.isatty()

    def write(self, data: object, /) -> int:
        """All bytes, written or dropped; also where the descriptor takes a part of them, or does not wait by itself."""
        view = memoryview(cast("bytes", data)).cast("B")
        done = 0
        try:
            while done < len(view):
                written = self._raw.write(view[done:])
                if written is None:
                    select([], [self], [])
                done += written or 0
        except OSError as error:
            if error.errno not in _OUTPUT_ERRORS:
                raise
            keeper = self._of or self
            keeper.lost = error if keeper.lost is None or isinstance(keeper.lost, BrokenPipeError) else keeper.lost
        return len(view)


def beside(stream: TextIO, descriptor: int) -> TextIO:
    """A stream like the prepared one onto another descriptor; what it loses counts as lost by that one."""
    buffer = getattr(stream, "buffer", None)
    of = getattr(buffer, "raw", buffer)
    sink = Sink(io.FileIO(descriptor, "w", closefd=False), of=of if isinstance(of, Sink) else None)
    return io.TextIOWrapper(io.BufferedWriter(sink), encoding=stream.encoding, errors=stream.errors)


def prepare() -> list[Sink]:
    """Gives the process streams that are there, that show every character somehow, and that never fail.

    A stream that was closed (``>&-``) leads nowhere; a character that the console cannot show becomes an escape. The
    sinks tell at the end what could not be written.
    """
    _open_closed()
    sinks: list[Sink] = []
    sys.stdout = _prepared(sys.stdout, sinks)
    sys.stderr = _prepared(sys.stderr, sinks)
    return sinks


def _open_closed() -> None:
    """Otherwise the first file that is opened gets the number, and whatever children print goes into it."""
    for descriptor in _STANDARD:
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number: this one
    if cast("TextIO | None", sys.stdin) is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(os.devnull)), encoding="utf-8")


def _prepared(stream: TextIO | None, sinks: list[Sink]) -> TextIO:
    if stream is None:
        return os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    stream.reconfigure(errors="backslashreplace")
    raw = getattr(stream.buffer, "raw", stream.buffer)
    if not isinstance(raw, io.RawIOBase):
        return stream
    stream.flush()
    sink = Sink(raw)
    sinks.append(sink)
    is_unbuffered = raw is stream.buffer
    return io.TextIOWrapper(
        cast("io.BufferedWriter", sink) if is_unbuffered else io.BufferedWriter(sink),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def lost(sinks: Sequence[Sink]) -> OSError | None:
    """Writes what is left; why output was lost, a reader that left (``| head``) aside: it has what it wanted."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(ValueError):  # code of the user's has closed it
            stream.flush()
    found = (sink.lost for sink in sinks)
    return next((error for error in found if error is not None and not isinstance(error, BrokenPipeError)), None)
