"""Watches over a server from outside, so that it goes when this process is killed and can do nothing any more."""

from __future__ import annotations

import asyncio
import os
from asyncio.subprocess import DEVNULL, PIPE, Process

# Reads until a word comes (all is well) or the pipe breaks (we are gone): then the server's whole group is ended.
_SCRIPT = 'read -r _ && exit; sleep 1; kill -TERM "-$1"; sleep 1; kill -KILL "-$1"'
_SHELL = "/bin/sh"
_END_LIMIT_S = 1.0


class Guard:
    """A sleeping shell that ends a process group once our end of its pipe is closed."""

    def __init__(self, process: Process | None) -> None:
        self._process = process

    @classmethod
    async def over(cls, group: int) -> Guard:
        """A guard over the process group; one that does nothing where there is no shell."""
        if os.name != "posix":
            return cls(None)
        try:
            process = await asyncio.create_subprocess_exec(
                _SHELL, "-c", _SCRIPT, "sh", str(group),
                stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True, cwd="/",
            )  # fmt: skip
        except OSError:
            return cls(None)
        return cls(process)

    async def dismiss(self) -> None:
        """Lets it end without doing anything."""
        if self._process is None:
            return
        if self._process.stdin is not None:
            self._process.stdin.write(b"\n")
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _END_LIMIT_S)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
