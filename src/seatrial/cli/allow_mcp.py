"""Whether the servers that an agent file names may be started: it may be a stranger's file, and they are programs."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Iterator

import click

from seatrial.assembly.mcp import started_programs
from seatrial.cli import terminal
from seatrial.cli.mcp_option import allow_mcp_option as allow_mcp_option
from seatrial.cli.trusted import is_trusted, trust
from seatrial.config.loaded import LoadedAgent
from seatrial.config.secrets import mask
from seatrial.errors import ConfigError


def allow_servers(loaded: LoadedAgent, *, is_allowed: bool) -> None:
    """Returns when the servers may be started: by option, in a project of the user's, or after a yes, which is kept.

    Raises `ConfigError` that shows what would be started.
    """
    programs = programs_to_allow(loaded, is_allowed=is_allowed)
    if not programs:
        return
    shown = "\n".join(f"  {line}" for line in programs)
    if sys.stdin.isatty() and sys.stderr.isatty():
        terminal.tell(f"{loaded.path} starts these programs as MCP servers:\n{shown}")
        if click.confirm("start them, now and from now on?", err=True):
            trust(loaded.folder, os.environ)
            return
    raise not_allowed(loaded, programs)


def programs_to_allow(loaded: LoadedAgent, *, is_allowed: bool) -> list[str]:
    """The servers that somebody has yet to allow, as ``name: command line``."""
    programs = list(_programs(loaded))
    return [] if is_allowed or is_trusted(loaded.folder, os.environ) else programs


def not_allowed(loaded: LoadedAgent, programs: Iterable[str]) -> ConfigError:
    """What is said when nobody allows them."""
    shown = "\n".join(f"  {line}" for line in programs)
    return ConfigError(
        f"{loaded.path} starts programs as MCP servers, and nobody has allowed that yet:\n{shown}",
        hint="look at them; then give --allow-mcp, or set SEATRIAL_ALLOW_MCP=1",
    )


def _programs(loaded: LoadedAgent) -> Iterator[str]:
    seen: set[tuple[str, ...]] = set()
    for name, command in started_programs(loaded):
        if command not in seen:
            seen.add(command)
            yield mask(f"{name}: {shlex.join(command)}", loaded.secrets)
