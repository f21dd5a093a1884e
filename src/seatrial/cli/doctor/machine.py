"""This computer: Python, the extras, the variables with keys, the place of the run store."""

from __future__ import annotations

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from seatrial.cli.doctor.finding import Finding, absent, ok, problem
from seatrial.errors import SeatrialError
from seatrial.installed import install_command
from seatrial.runs.names import store_file
from seatrial.runs.store import open_store

LEAST_PYTHON = (3, 11)
KEY_OF_PROVIDER = {
    "openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "azure_openai": "AZURE_OPENAI_API_KEY",
}
_NO_EXTRA_OF_ITS_OWN = frozenset({"all"})
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+).*extra == ['\"]([^'\"]+)['\"]")
_LEAST_FREE_BYTES = 50_000_000


def python() -> Finding:
    """Which Python this is."""
    told = f"Python {platform.python_version()} on {platform.system()} ({sys.executable})"
    if sys.version_info[:2] < LEAST_PYTHON:
        wanted = ".".join(map(str, LEAST_PYTHON))
        return problem("python", f"{told} is too old", f"install Python {wanted} or newer, and seatrial with it")
    return ok("python", told)


def extras() -> Iterator[Finding]:
    """Each extra, with what it lacks."""
    for extra, packages in _packages_by_extra().items():
        missing = [package for package in packages if not _is_installed(package)]
        about = f"extra [{extra}]"
        if missing:
            yield absent(about, f"not installed: {', '.join(missing)}", install_command(extra))
        else:
            yield ok(about, "installed")


def keys(environ: Mapping[str, str]) -> Iterator[Finding]:
    """Which of the vendors' variables are set; never their values."""
    for name in KEY_OF_PROVIDER.values():
        if environ.get(name, "").strip():
            yield ok(name, "set")
        elif name in environ:
            yield absent(name, "set, but empty", f"export {name}=...")
        else:
            yield absent(name, "not set", f"export {name}=...    (or a line {name}=... in .env beside the agent file)")


def store(folder: Path, place: str | None) -> Finding:
    """Whether runs can be kept: in the store of the folder, or in the one that is named."""
    if place is not None and "://" in place:
        return ok("run store", f"on a server; seatrial runs list --store {_without_password(place)} tries it")
    file = Path(place) if place is not None else store_file(folder)
    holder = next(parent for parent in file.absolute().parents if parent.exists())
    if file.exists():
        try:
            open_store(file, create=False).close()
        except SeatrialError as error:
            return problem("run store", error.message, error.hint, error.exit_code)
    if not holder.is_dir():
        return problem(
            "run store", f"{holder} is no folder", "name another place: --store FILE, SEATRIAL_STORE=FILE", 3
        )
    for path in (file, holder):
        if path.exists() and not os.access(path, os.W_OK):
            mend = f"chmod u+w {path}    (or name another place: --store FILE, SEATRIAL_STORE=FILE)"
            return problem("run store", f"{path} cannot be written", mend, 3)
    free = shutil.disk_usage(holder).free
    if free < _LEAST_FREE_BYTES:
        return problem("run store", f"the disk of {holder} is full: {free / 1e6:.0f} MB are left", "free some space", 3)
    return ok("run store", f"{file} can be written")


def _without_password(place: str) -> str:
    return re.sub(r"(://[^:/@]*):[^@]*@", r"\1:...@", place)


def _packages_by_extra() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    try:
        lines = requires("seatrial") or []
    except PackageNotFoundError:
        return {}
    for line in lines:
        match = _REQUIREMENT.match(line)
        if match and match[2] not in _NO_EXTRA_OF_ITS_OWN:
            found.setdefault(match[2], []).append(match[1])
    return found


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
