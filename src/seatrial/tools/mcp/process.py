"""A server that is a child process: its lines, its last words, its end."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from seatrial.tools.mcp.guard import Guard
from seatrial.tools.mcp.heard import Inlet
from seatrial.tools.mcp.stderr import StderrTail

MAX_LINE_BYTES = 64 * 1024 * 1024
PAUSE_AT_BYTES = 16 * 1024 * 1024

# After its stdin is closed a server has this long to end by itself, and then this long after SIGTERM.
END_LIMIT_S = 1.0
NO_TIME_S = 0.05
TERMINATE_LIMIT_S = 0.4
KILL_LIMIT_S = 2.0
# What a process has written may arrive a moment after its end.
LAST_WORDS_S = 0.2
_POLL_S = 0.01


class ServerProcess(asyncio.SubprocessProtocol):
    """Its stdout by lines, its stdin, its exit status. Made by `start`; use it in the event loop that started it."""

    def __init__(self, name: str) -> None:
        self.stderr = StderrTail(name)
        self.complaint: str | None = None
        self.has_no_time = False
        self._lines: deque[bytes] = deque()
        self._pending_bytes = 0
        self._buffer = bytearray()
        self._is_over = False
        self._news = asyncio.Event()
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._transport: asyncio.SubprocessTransport | None = None
        self._guard: Guard | None = None
        self._inlet: Inlet | None = None
        self._was_told = False
        self._was_heard = True
        self._stopping: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls, name: str, command: str, args: Sequence[str], *, env: Mapping[str, str], cwd: Path | None
    ) -> ServerProcess:
        """A running process in a session of its own, so that Ctrl-C does not reach it. Raises OSError."""
        process = cls(name)
        # Given up in the middle it would lose what the process has started by then.
        opening = asyncio.create_task(process._open(command, args, env, cwd))
        try:
            await _to_the_end(opening)
        except asyncio.CancelledError:
            await process.stop()
            raise
        return process

    async def _open(self, command: str, args: Sequence[str], env: Mapping[str, str], cwd: Path | None) -> None:
        self._transport, _ = await asyncio.get_running_loop().subprocess_exec(
            lambda: self, command, *args, env=dict(env), cwd=cwd, start_new_session=os.name == "posix"
        )
        self._inlet = Inlet.of(self._transport.get_pipe_transport(0))
        self._guard = await Guard.over(self._transport.get_pid())

    @property
    def exit_status(self) -> int | None:
        """None while it runs; negative for a signal."""
        return None if self._transport is None else self._transport.get_returncode()

    @property
    def has_read(self) -> bool:
        """Whether it read what it was told, as far as that can be known; once it has ended."""
        return self._was_told and self._was_heard

    @property
    def told_end(self) -> str:
        """How it ended, in words."""
        status = self.exit_status
        if status is None:
            return "closed its output"
        if status >= 0:
            return f"ended with exit status {status}"
        with suppress(ValueError):
            return f"was ended by {signal.Signals(-status).name}"
        return f"was ended by signal {-status}"

    async def line(self) -> bytes | None:
        """The next line without its end, or None when there will be none."""
        while not self._lines:
            if self._is_over:
                return None
            self._news.clear()
            await self._news.wait()
        line = self._lines.popleft()
        self._pending_bytes -= len(line)
        if self._pending_bytes < PAUSE_AT_BYTES:
            self._stdout(pause=False)
        return line

    async def write(self, data: bytes) -> None:
        """Hands the data to its stdin, and waits while that is full. Raises BrokenPipeError when it is gone."""
        stdin = cast("asyncio.WriteTransport | None", self._pipe(0))
        if self._is_over or stdin is None:
            raise BrokenPipeError
        self._was_told = True
        stdin.write(data)
        await self._may_write.wait()

    async def stop(self) -> None:
        """Asks it to end, then makes it and all its children end. At most about four seconds, mostly far less.

        Who waits for it may be cancelled; it goes on to its end, and that is waited for all the same.
        """
        if self._transport is None:
            return
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop(self._transport))
        await _to_the_end(self._stopping)

    async def _stop(self, transport: asyncio.SubprocessTransport) -> None:
        if self._is_over and not self.has_no_time:
            await self.settle()
        self._over()
        self._stdout(pause=False)
        stdin = transport.get_pipe_transport(0)
        self._close_inlet()
        if stdin is not None:
            stdin.close()
        if not await self._ends_within(NO_TIME_S if self.has_no_time else END_LIMIT_S):
            _signal_group(transport, signal.SIGTERM)
            await self._ends_within(TERMINATE_LIMIT_S)
        # Also where it ended by itself: its children may not have.
        _signal_group(transport, getattr(signal, "SIGKILL", signal.SIGTERM))
        await self._ends_within(KILL_LIMIT_S)
        transport.close()
        if self._guard is not None:
            await self._guard.dismiss()

    async def settle(self) -> None:
        """Waits a moment for the exit status of a process that has closed its output."""
        await self._ends_within(LAST_WORDS_S)

    async def _ends_within(self, limit_s: float) -> bool:
        loop = asyncio.get_running_loop()
        end = loop.time() + limit_s
        while self.exit_status is None:
            if loop.time() >= end:
                return False
            await asyncio.sleep(_POLL_S)
        return True

    # What the event loop tells.

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Output came."""
        if fd != 1:
            self.stderr.feed(data)
            return
        if self._is_over:
            return
        *lines, rest = data.split(b"\n")
        for line in lines:
            self._buffer += line
            self._add_line(bytes(self._buffer))
            self._buffer.clear()
        self._buffer += rest
        if len(self._buffer) > MAX_LINE_BYTES:
            self.complaint = f"sent a line of more than {MAX_LINE_BYTES // 2**20} MB"
            self._over()
        elif lines:
            self._news.set()
            if self._pending_bytes > PAUSE_AT_BYTES:
                self._stdout(pause=True)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        """A pipe is closed; without stdout there is nothing more to hear."""
        if fd == 1:
            self._over()
        elif fd == 0:
            self._may_write.set()

    def process_exited(self) -> None:
        """The process is gone; a child may still hold its stdout open."""
        self._close_inlet()
        asyncio.get_running_loop().call_later(LAST_WORDS_S, self._over)

    def pause_writing(self) -> None:
        """Its stdin is full."""
        self._may_write.clear()

    def resume_writing(self) -> None:
        """There is room again."""
        self._may_write.set()

    def _close_inlet(self) -> None:
        inlet, self._inlet = self._inlet, None
        if inlet is None:
            return
        if self.exit_status is not None:
            self._was_heard = not inlet.holds_something
        inlet.close()

    def _add_line(self, line: bytes) -> None:
        self._lines.append(line)
        self._pending_bytes += len(line)

    def _over(self) -> None:
        self._is_over = True
        self._may_write.set()
        self._news.set()

    def _pipe(self, fd: int) -> asyncio.BaseTransport | None:
        """Our end of one of its pipes while it is open; its class differs from event loop to event loop."""
        pipe = None if self._transport is None else self._transport.get_pipe_transport(fd)
        return None if pipe is None or pipe.is_closing() else pipe

    def _stdout(self, *, pause: bool) -> None:
        stdout = cast("asyncio.ReadTransport | None", self._pipe(1))
        if stdout is None:
            return
        if pause:
            stdout.pause_reading()
        else:
            stdout.resume_reading()


async def _to_the_end(task: asyncio.Task[None]) -> None:
    """Waits for the task, however often the waiting is cancelled; the cancelling is raised then."""
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancelled = error
    failure = None if task.cancelled() else task.exception()
    if cancelled is not None:
        raise cancelled
    if failure is not None:
        raise failure


def _signal_group(transport: asyncio.SubprocessTransport, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(transport.get_pid(), number)
        else:
            transport.terminate()
