"""Whether a process read what was written to its stdin before it ended."""

from __future__ import annotations

import array
import os
import socket
import stat
import sys
from asyncio import BaseTransport

if sys.platform != "win32":
    import fcntl
    import termios


class Inlet:
    """Our end of a process's stdin, held beside the event loop's own; `close` it before that is closed."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    @classmethod
    def of(cls, stdin: BaseTransport | None) -> Inlet | None:
        """The end that the transport writes to; None where it cannot be held, or where it has gone."""
        if stdin is None or sys.platform == "win32":
            return None
        pipe = stdin.get_extra_info("pipe") or stdin.get_extra_info("socket")
        try:
            return None if pipe is None else cls(os.dup(pipe.fileno()))
        except (OSError, ValueError):
            return None

    @property
    def holds_something(self) -> bool:
        """Whether something was left unread by the process; only once that has ended."""
        try:
            if stat.S_ISSOCK(os.fstat(self._fd).st_mode):
                return _was_reset(self._fd)
            return _unread_bytes(self._fd) > 0
        except OSError:
            return False

    def close(self) -> None:
        """Lets go of it."""
        os.close(self._fd)


def _was_reset(fd: int) -> bool:
    """A socket whose other end was closed with unread data in it is reset, where sockets do that."""
    with socket.socket(fileno=os.dup(fd)) as end:
        try:
            end.recv(1, getattr(socket, "MSG_DONTWAIT", 0))
        except ConnectionResetError:
            return True
        except OSError:
            return False
        return False


def _unread_bytes(fd: int) -> int:
    if sys.platform == "win32":
        return 0
    count = array.array("i", [0])
    fcntl.ioctl(fd, termios.FIONREAD, count)
    return count[0]
