"""The environment of a server: the little that every program needs, and what the agent file names."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

ALWAYS = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER")
ON_WINDOWS = (
    "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMFILES",
    "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR",
)  # fmt: skip


def server_environment(
    own: Mapping[str, str], inherited: Iterable[str] = (), ours: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What a server sees: the usual few of ``ours`` (the process's own when None), the ``inherited``, its ``own``."""
    ours = os.environ if ours is None else ours
    names = (*ALWAYS, *(ON_WINDOWS if os.name == "nt" else ()), *inherited)
    taken = {name: ours[name] for name in names if name in ours}
    # An exported shell function is code in a variable; no server needs one.
    return {name: value for name, value in taken.items() if not value.startswith("()")} | dict(own)
