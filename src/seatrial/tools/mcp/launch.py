"""From what stands under ``server:`` or ``command:`` to a program that can be started."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from seatrial.errors import McpError
from seatrial.tools.mcp.settings import McpSettings


def checked_command(settings: McpSettings, env: Mapping[str, str]) -> str:
    """The program to start. Raises `McpError` that says which of folder, program and permission is the trouble."""
    cwd = settings.cwd
    if cwd is not None and not cwd.is_dir():
        raise _unusable(settings, f"the folder it is to run in does not exist: {cwd}", "correct `cwd`")
    command = os.path.expanduser(settings.command)  # noqa: PTH111 - not every command is a path
    found = _found(command, cwd, env)
    if found is not None:
        return found
    if (Path(command) if cwd is None else cwd / command).is_file():
        raise _unusable(settings, f"{command} is not executable", f"run `chmod +x {command}`")
    first, *rest = command.split()
    if rest and _found(first, cwd, env) is not None:
        hint = f"write `command: {first}` and `args: [{', '.join(rest)}]`"
        raise _unusable(settings, f"there is no program {command!r}: the arguments stand in its name", hint)
    raise _unusable(settings, f"there is no program {command!r}", _how_to_get(command))


def _found(command: str, cwd: Path | None, env: Mapping[str, str]) -> str | None:
    if os.sep in command and cwd is not None:
        command = str(cwd / command)
    return shutil.which(command, path=env.get("PATH"))


def _how_to_get(command: str) -> str:
    known = {"npx": "install Node.js", "node": "install Node.js", "uvx": "install uv", "docker": "install Docker"}
    return known.get(command, "install it, or give its whole path")


def _unusable(settings: McpSettings, why: str, hint: str) -> McpError:
    return McpError(f"the MCP server {settings.name!r} cannot be started: {why}", server=settings.name, hint=hint)
