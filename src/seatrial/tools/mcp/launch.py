"""From what stands under ``server:`` or ``command:`` to a program that can be started."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from seatrial.errors import McpError
from seatrial.tools.mcp.settings import McpSettings

_RUNNERS = frozenset(("bunx", "deno", "docker", "node", "npx", "pipx", "podman", "python", "python3", "uv", "uvx"))
_PYPI_NAME = re.compile(r"mcp[-_]server[-_].*|.*_mcp")


@dataclass(frozen=True, slots=True)
class Launch:
    """What a ``server:`` means: a program and its arguments, or an address."""

    command: str = ""
    args: tuple[str, ...] = ()
    url: str = ""


def launch_of(server: str, folder: Path) -> Launch:
    """What to start or reach.

    In this order: an address; ``npm:NAME`` and ``pypi:NAME``; a ``.py`` or ``.js`` file of the folder; a program that
    is installed, here or beside Python, with arguments where some follow; a package that is run without installing it,
    by npx, or by uvx where the name is one that Python packages have.
    """
    server = server.strip()
    if re.match(r"https?://", server, re.IGNORECASE):
        return Launch(url=server)
    first, *rest = shlex.split(server) or [server]
    registry, separator, package = first.partition(":")
    if separator and registry in ("npm", "pypi") and package:
        return _package(package, rest, is_python=registry == "pypi")
    suffix = Path(first).suffix
    if suffix in (".py", ".js", ".mjs", ".cjs") and not first.startswith("@"):
        path = os.path.normpath(folder / Path(first).expanduser())
        return Launch(sys.executable if suffix == ".py" else "node", (path, *rest))
    if first.startswith("@"):
        return _package(first, rest, is_python=False)
    if os.sep in first or first in _RUNNERS or shutil.which(first):
        return Launch(first, tuple(rest))
    beside = Path(sys.executable).parent / first
    if beside.is_file():
        return Launch(str(beside), tuple(rest))
    return _package(first, rest, is_python=_PYPI_NAME.fullmatch(first) is not None)


def _package(package: str, args: list[str], *, is_python: bool) -> Launch:
    return Launch("uvx", (package, *args)) if is_python else Launch("npx", ("-y", package, *args))


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
