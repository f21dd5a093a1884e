"""The commands of a page of the documentation, run as they are written."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

_DOCS = Path(__file__).parents[2] / "docs"
_COMMANDS = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    return (_DOCS / name).read_text(encoding="utf-8")


def commands_of(text: str) -> list[str]:
    return [line for block in _COMMANDS.findall(text) for line in block.splitlines()]


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs it with the commands of this environment; what follows a hash is a remark."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        shlex.split(command, comments=True),
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        env={**os.environ, "PATH": path},
    )
