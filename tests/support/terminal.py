"""A command in a real pseudo-terminal, driven as a person does: keys in, what is shown out. Every wait is bounded."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

CTRL_C = "\x03"
CTRL_D = "\x04"
ENTER = "\r"
TAB = "\t"
UP = "\x1b[A"
_CONTROLS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_]|\([A-Z0-9])")
_WAIT_S = 60.0


class Terminal:
    """``with Terminal(command, folder, env)``: what was shown so far is ``raw``; ``text`` has no controls."""

    def __init__(
        self, command: Sequence[str], folder: Path, env: Mapping[str, str], *, rows: int = 30, columns: int = 100
    ) -> None:
        self.raw = ""
        self._seen = 0
        self._pending = b""
        self._master, slave = pty.openpty()
        self.resize(rows, columns)
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(env),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._master)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def text(self) -> str:
        """Everything that was shown, without what moves cursors and sets colours."""
        return _CONTROLS.sub("", self.raw)

    @property
    def modes(self) -> int:
        """The terminal's local modes, as the shell after the command will find them."""
        return int(termios.tcgetattr(self._master)[3])

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def send(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def enter(self, line: str) -> None:
        """A line and Enter."""
        self.send(line + ENTER)

    def expect(self, text: str, *, timeout_s: float = _WAIT_S) -> str:
        """Waits until the text is shown behind what was expected before; gives what was shown up to its end."""
        end = time.monotonic() + timeout_s
        while (at := self.text.find(text, self._seen)) < 0:
            if not self._read(end):
                raise AssertionError(f"{text!r} was not shown; what was:\n{self.text[self._seen :]}")
        shown = self.text[self._seen : at + len(text)]
        self._seen = at + len(text)
        return shown

    def forget(self) -> None:
        """Lets go of what was shown, for long conversations."""
        self.raw = ""
        self._seen = 0

    def end(self, *, timeout_s: float = _WAIT_S) -> int:
        """Waits for the end; gives the exit code."""
        end = time.monotonic() + timeout_s
        while self._read(end):
            pass
        return self._process.wait(timeout=timeout_s)

    def _read(self, end: float) -> bool:
        """Takes what there is; False when nothing more will come, or the time is over."""
        left_s = end - time.monotonic()
        if left_s <= 0 or not select.select([self._master], [], [], left_s)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:
            return False
        self._pending += data
        try:
            self.raw += self._pending.decode()
            self._pending = b""
        except UnicodeDecodeError as error:
            if error.reason != "unexpected end of data":
                raise
        return bool(data)
