"""Whether the servers that an agent file names may be started: it may be a stranger's file, and they are programs.

A yes holds for one program in one folder: what is new or was changed is asked for again. It is remembered outside of
the folder, where no file of a stranger can say it.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path

from seatrial.assembly.mcp import started_servers
from seatrial.config.loaded import LoadedAgent
from seatrial.config.secrets import MASK, mask
from seatrial.errors import ConfigError
from seatrial.tools.mcp.settings import McpSettings

VARIABLE = "SEATRIAL_ALLOW_MCP"
_NO = ("", "0", "f", "false", "n", "no", "off")


def is_allowed_everywhere(environ: Mapping[str, str]) -> bool:
    """Whether the environment allows every program."""
    return environ.get(VARIABLE, "").strip().lower() not in _NO


def programs_to_allow(loaded: LoadedAgent, environ: Mapping[str, str] = os.environ) -> list[str]:
    """The programs that somebody has yet to allow, as ``name: command line``, each once."""
    known = _known(environ)
    missing = (server for server in started_servers(loaded) if _mark(server, loaded) not in known)
    return list(dict.fromkeys(_shown(server, loaded) for server in missing))


def allow_programs(loaded: LoadedAgent, environ: Mapping[str, str] = os.environ) -> None:
    """Remembers all programs of the file as they are now. Where that cannot be written, they are asked for again."""
    file = _file(environ)
    marks = dict.fromkeys(_mark(server, loaded) for server in started_servers(loaded))
    known = _known(environ)
    lines = [f"{mark}\n" for mark in marks if mark not in known]
    if file is None or not lines:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as stream:
            stream.writelines(lines)
    except OSError:
        return


def require_allowed(loaded: LoadedAgent, environ: Mapping[str, str] = os.environ) -> None:
    """Raises `ConfigError` where the file starts a program that nobody has allowed. Asks nobody."""
    programs = [] if is_allowed_everywhere(environ) else programs_to_allow(loaded, environ)
    if programs:
        raise not_allowed(loaded, programs, f"set {VARIABLE}=1")


def not_allowed(loaded: LoadedAgent, programs: Iterable[str], remedy: str) -> ConfigError:
    """What is said when nobody allows the programs; ``remedy`` is how to."""
    shown = "\n".join(f"  {line}" for line in programs)
    return ConfigError(
        f"{loaded.path} starts programs as MCP servers, and nobody has allowed that yet:\n{shown}",
        hint=f"look at them; then {remedy}",
    )


def _shown(server: McpSettings, loaded: LoadedAgent) -> str:
    variables = f" (sets {', '.join(server.env)})" if server.env else ""
    return mask(f"{server.name}: {shlex.join((server.command, *server.args))}{variables}", loaded.secrets)


def _mark(server: McpSettings, loaded: LoadedAgent) -> str:
    """What a yes is kept under: everything that decides which program runs, in which folder."""
    program = [
        str(loaded.folder.resolve()),
        *(_written(text, loaded) for text in (server.command, *server.args)),
        str(server.cwd),
        sorted((name, _written(value, loaded)) for name, value in server.env.items()),
    ]
    return sha256(json.dumps(program).encode("utf-8", "surrogatepass")).hexdigest()


def _written(text: str, loaded: LoadedAgent) -> str:
    """The text where the agent file says it, without what is secret where it comes from elsewhere: keys change."""
    if text in loaded.raw:
        return text
    return MASK if text in loaded.secrets else mask(text, loaded.secrets)


def _known(environ: Mapping[str, str]) -> frozenset[str]:
    file = _file(environ)
    try:
        return frozenset(file.read_text(encoding="utf-8").splitlines()) if file is not None else frozenset()
    except (OSError, UnicodeDecodeError):
        return frozenset()


def _file(environ: Mapping[str, str]) -> Path | None:
    home = environ.get("XDG_STATE_HOME") or (
        Path(environ["HOME"]) / ".local" / "state" if environ.get("HOME") else None
    )
    return None if home is None else Path(home) / "seatrial" / "allowed-programs"
