"""The question whether the programs that an agent file names as servers may be started."""

from __future__ import annotations

import sys

import click

from seatrial.assembly.allowed import VARIABLE, allow_programs, not_allowed, programs_to_allow
from seatrial.cli import terminal
from seatrial.cli.mcp_option import allow_mcp_option as allow_mcp_option
from seatrial.config.loaded import LoadedAgent

REMEDY = f"give --allow-mcp, or set {VARIABLE}=1"


def allow_servers(loaded: LoadedAgent, *, is_allowed: bool) -> None:
    """Returns when the servers may be started: by option, or after a yes, which is kept for these programs.

    Raises `ConfigError` that shows what would be started.
    """
    programs = [] if is_allowed else programs_to_allow(loaded)
    if not programs:
        return
    if sys.stdin.isatty() and sys.stderr.isatty():
        shown = "\n".join(f"  {line}" for line in programs)
        terminal.tell(f"{loaded.path} starts these programs as MCP servers:\n{shown}")
        if click.confirm("start them, now and from now on?", err=True):
            allow_programs(loaded)
            return
    raise not_allowed(loaded, programs, REMEDY)
