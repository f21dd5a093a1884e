"""An exception that nobody foresaw, in words and in a file."""

from __future__ import annotations

import tempfile
import traceback
from pathlib import Path


def in_one_line(error: Exception) -> str:
    """What it is and where it came from."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"internal error: {type(error).__name__}: {error}{place}"


def write_traceback(error: Exception) -> str:
    """Writes the traceback into a new file in the folder for temporary files; gives its path."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="seatrial-traceback-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as file:
        file.writelines(traceback.format_exception(error))
    return file.name
