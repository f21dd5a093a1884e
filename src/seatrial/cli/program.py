"""How the user called us, for commands that they may copy."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from shutil import which

NAME = "seatrial"


def program() -> str:
    """The bare name where the shell finds it, else the path that was used."""
    if which(NAME):
        return NAME
    return f"python -m {NAME}" if Path(sys.argv[0]).name == "__main__.py" else sys.argv[0]


def command_line(command: str, agent: Path) -> str:
    """A command for this agent file, which needs no name where commands find it by themselves."""
    return f"{program()} {command}" + ("" if agent in (Path(), Path("agent.yaml")) else f" {shlex.quote(str(agent))}")
