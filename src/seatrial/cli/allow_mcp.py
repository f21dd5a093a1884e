"""Whether the servers that an agent file names may be started: it may be a stranger's file, and they are programs."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator

import click

from seatrial.assembly.mcp import started_programs
from seatrial.cli import terminal
from seatrial.cli.trusted import is_trusted, trust
from seatrial.config.loaded import LoadedAgent
from seatrial.config.secrets import mask
from seatrial.errors import ConfigError

allow_mcp_option = click.option(
    "--allow-mcp",
    is_flag=True,
    envvar="SEATRIAL_ALLOW_MCP",
    help="Start the programs that the agent file names as MCP servers without asking.",
)


def allow_servers(loaded: LoadedAgent, *, is_allowed: bool) -> None:
    """Returns when the servers may be started: by option, in a project of the user's, or after a yes, which is kept.

    Raises `ConfigError` that shows what would be started.
    """
    programs = list(_programs(loaded))
    if is_allowed or not programs or is_trusted(loaded.folder, os.environ):
        return
    shown = "\n".join(f"  {line}" for line in programs)
    if sys.stdin.isatty() and sys.stderr.isatty():
        terminal.tell(f"{loaded.path} starts these programs as MCP servers:\n{shown}")
        if click.confirm("start them, now and from now on?", err=True):
            trust(loaded.folder, os.environ)
            return
    raise ConfigError(
        f"{loaded.path} starts programs as MCP servers, and nobody has allowed that yet:\n{shown}",
        hint="look at them; then give --allow-mcp, or set SEATRIAL_ALLOW_MCP=1",
    )


def _programs(loaded: LoadedAgent) -> Iterator[str]:
    seen: set[tuple[str, ...]] = set()
    for name, command in started_programs(loaded):
        if command not in seen:
            seen.add(command)
            yield mask(f"{name}: {shlex.join(command)}", loaded.secrets)
