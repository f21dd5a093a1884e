"""Measuring whole commands, and writing down on what machine."""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Measured:
    """One command: wall-clock and CPU seconds, peak resident memory in MB, and how it ended."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    exit_code: int
    stdout: str = ""


def compiled_environment() -> dict[str, str]:
    """The environment of a user whose bytecode is compiled."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


class _Peak(Thread):
    """Watches a process's own peak of resident memory: what the kernel sums up at the end counts its parent's too."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.mb = 0.0
        self._status = Path(f"/proc/{pid}/status")

    def run(self) -> None:
        """Reads until the process is gone."""
        while True:
            try:
                lines = self._status.read_text().splitlines()
            except OSError:
                return
            peaks = [int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")]
            if not peaks:
                return
            self.mb = peaks[0]
            time.sleep(0.01)


def measure(
    command: Sequence[str | Path], *, folder: Path = ROOT, more_environment: Mapping[str, str] | None = None
) -> Measured:
    """Runs a command once to its end."""
    environment = {**compiled_environment(), **(more_environment or {})}
    start = time.perf_counter()
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        peak = _Peak(process.pid)
        peak.start()
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall_s = time.perf_counter() - start
        if process.returncode not in (0, 1):
            errors.seek(0)
            print(errors.read(), file=sys.stderr)
    return Measured(wall_s, usage.ru_utime + usage.ru_stime, peak.mb, process.returncode, output)


def median_wall_s(command: Sequence[str | Path], repeats: int = 15) -> float:
    """The median wall-clock time of a command after one run to warm up."""
    measure(command)
    return statistics.median(measure(command).wall_s for _ in range(repeats))


@contextmanager
def server(script: Path, *arguments: str) -> Iterator[str]:
    """A server process for the time of the block; gives its base URL. It must print ``PORT n`` or just ``n``."""
    with subprocess.Popen([sys.executable, script, *arguments], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            port = process.stdout.readline().split()[-1].rpartition(":")[2].strip("/")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def machine() -> str:
    """The machine in one line."""
    model = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [
            line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")
        ]
        model = names[0] if names else model
    return f"{os.cpu_count()} cores, {model}, Python {platform.python_version()}, {platform.system()}"
