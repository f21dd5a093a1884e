"""Runs a command and tells what it left behind: ``python watch.py REPORT GRACE_S COMMAND...``.

Every process that loses its parent comes to this one (Linux: PR_SET_CHILD_SUBREAPER), whatever session it is in. REPORT
gets the command's process id when it has started and, on a second line, the command lines of what is still there after
the grace.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


def main(report: Path, grace_s: float, command: list[str]) -> int:
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    process = subprocess.Popen(command)
    with report.open("w", encoding="utf-8") as file:
        print(process.pid, file=file, flush=True)
        status = process.wait()
        print(json.dumps(list(children_after(grace_s).values())), file=file)
    while left := children():
        for child in left:
            os.kill(child, signal.SIGKILL)
    return status if status >= 0 else 128 - status


def children_after(grace_s: float) -> dict[int, str]:
    """Those that are there in the end, by id, with their command lines."""
    end = time.monotonic() + grace_s
    while (found := children()) and time.monotonic() < end:
        time.sleep(0.02)
    return found


def children() -> dict[int, str]:
    """The living children now; the dead ones are buried."""
    try:
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    except ChildProcessError:
        return {}
    found = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])
            if parent == os.getpid():
                line = status.with_name("cmdline").read_bytes().replace(b"\0", b" ")
                found[int(status.parent.name)] = line.decode(errors="replace").strip()
        except OSError:
            continue
    return found


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]))
