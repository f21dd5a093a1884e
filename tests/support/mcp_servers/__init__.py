"""MCP servers that misbehave, each in one way: plain JSON-RPC, nothing but the standard library.

Every one runs as ``python FILE NAME``; `command` gives that. With ``STARTS`` in its environment a server appends its
process id to that file when it starts.
"""

from __future__ import annotations

import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def command(file: str, name: str, *more: str) -> list[str]:
    """The command of a server: ``command("lists", "paged")``."""
    return [sys.executable, "-S", "-E", str(FOLDER / f"{file}.py"), name, *more]
