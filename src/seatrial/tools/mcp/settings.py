"""How an MCP server is reached and what is taken from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from seatrial.core.tool import ExecutionMode

Transport = Literal["auto", "stdio", "http", "sse"]

CONNECT_TIMEOUT_S = 60.0
CALL_TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class McpSettings:
    """One server: a program (``command``) or an address (``url``), and how to deal with it.

    ``env`` is added to the few variables that a server gets of ours, ``inherit_env`` names more of them. ``protocol``
    is ``auto``, ``legacy`` or a revision without a handshake. ``allow`` and ``exclude`` are names or patterns
    (``read_*``) of the server's tools; ``prefix`` goes before their names. One that ``is_optional`` may fail to start;
    one that ``is_per_case`` is started anew for every test case. ``max_concurrency`` bounds its calls at once.
    Times are in seconds.
    """

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    inherit_env: tuple[str, ...] = ()
    cwd: Path | None = None
    encoding: str = "utf-8"
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    transport: Transport = "auto"
    protocol: str = "auto"
    connect_timeout_s: float = CONNECT_TIMEOUT_S
    call_timeout_s: float = CALL_TIMEOUT_S
    allow: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    prefix: str = ""
    is_optional: bool = False
    is_per_case: bool = False
    max_concurrency: int | None = None
    max_output_chars: int | None = None
    execution_mode: ExecutionMode = "parallel"

    @property
    def is_remote(self) -> bool:
        """Whether it is reached by an address."""
        return bool(self.url)
