"""Files that are there whole or not at all."""

from __future__ import annotations

import os
import time
from itertools import count
from pathlib import Path

_SUFFIX = ".seatrial-part"
_OLD_S = 3600.0
_numbers = count()


def write_atomically(path: Path, data: bytes) -> None:
    """Puts the data in the place of what was there; killed at any moment, the file is the old or the new one."""
    beside = path.with_name(f".{path.name[:40]}.{os.getpid()}-{next(_numbers)}{_SUFFIX}")
    try:
        with beside.open("xb") as out:
            out.write(data)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def remove_remains(folder: Path) -> None:
    """Removes what writers left behind that were killed more than an hour ago."""
    for path in folder.glob(f".*{_SUFFIX}"):
        if time.time() - path.stat().st_mtime > _OLD_S:
            path.unlink(missing_ok=True)
