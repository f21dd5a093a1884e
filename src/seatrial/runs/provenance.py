"""Where and from what a run was made: its id, the commit, the versions, the process."""

from __future__ import annotations

import os
import platform
import secrets
import shutil
import socket
import subprocess
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from seatrial.runs.records import GitState, ProcessMark, RunRecord

_ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PACKAGES = ("seatrial", "pydantic", "msgspec", "aiohttp", "onnxruntime", "sacrebleu", "rouge-score", "nltk")
_GIT_TIMEOUT_S = 5


def new_run_id(now: datetime) -> str:
    """An id that sorts by time and can be typed: ``20260131-174502-x7k2``."""
    tail = "".join(secrets.choice(_ID_ALPHABET) for _ in range(4))
    return f"{now:%Y%m%d-%H%M%S}-{tail}"


def installed_versions() -> dict[str, str]:
    """Python's version and those of the packages that results depend on."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def git_state(folder: Path) -> GitState | None:
    """The commit that ``folder`` is at, None outside a repository or without git."""
    git = shutil.which("git")
    if git is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - git itself, with fixed arguments
            [git, "-C", str(folder), "status", "--porcelain=v2", "--branch", "--untracked-files=no"],
            capture_output=True,
            text=True,
            timeout=_GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    lines = done.stdout.splitlines()
    commit = next((line.removeprefix("# branch.oid ") for line in lines if line.startswith("# branch.oid ")), None)
    if done.returncode != 0 or commit is None or commit == "(initial)":
        return None
    return GitState(commit, is_dirty=any(not line.startswith("#") for line in lines))


def this_process() -> ProcessMark:
    """This process, as a run remembers its writer."""
    return ProcessMark(socket.gethostname(), os.getpid())


def is_under_way(run: RunRecord) -> bool:
    """Whether the run's writer still lives, as far as this machine can tell."""
    if run.status != "running" or run.process is None:
        return False
    if run.process.host != socket.gethostname():
        return True
    try:
        os.kill(run.process.pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
