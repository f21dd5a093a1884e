"""How this seatrial was installed, and the command that adds an extra to it."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any


def install_command(extra: str) -> str:
    """What adds an extra to this installation, from wherever it came: a clone, an address or an index."""
    origin = _origin()
    url = str(origin.get("url", ""))
    if "dir_info" in origin:
        folder = _folder_at(url)
        option = "-e " if origin["dir_info"].get("editable") else ""
        shown = "." if folder == Path.cwd() else folder
        return f"{_install()} {option}{shlex.quote(f'{shown}[{extra}]')}"
    if "vcs_info" in origin:
        asked = origin["vcs_info"].get("requested_revision")
        url = f"{origin['vcs_info']['vcs']}+{url}" + (f"@{asked}" if asked else "")
    return f"{_install()} {shlex.quote(f'seatrial[{extra}] @ {url}' if url else f'seatrial[{extra}]')}"


def _install() -> str:
    """What installs into this environment: the first ``pip`` on the path may be that of another Python."""
    python = shlex.quote(sys.executable)
    if find_spec("pip") is None:
        return f"uv pip install --python {python}"
    first = next((Path(folder) for folder in os.get_exec_path() if Path(folder, "pip").is_file()), None)
    return "pip install" if first == Path(sys.executable).parent else f"{python} -m pip install"


def _folder_at(url: str) -> Path:
    quoted = url.removeprefix("file://").encode()
    path = re.sub(rb"%([0-9A-Fa-f]{2})", lambda code: bytes.fromhex(code[1].decode()), quoted).decode()
    return Path(re.sub(r"^/(?=[A-Za-z]:)", "", path))


def _origin() -> dict[str, Any]:
    """Where pip found seatrial, as it noted it (PEP 610); empty for an index."""
    for folder in sys.path:
        for note in Path(folder).glob("seatrial-*.dist-info/direct_url.json"):
            origin: dict[str, Any] = json.loads(note.read_text(encoding="utf-8"))
            return origin
    return {}
