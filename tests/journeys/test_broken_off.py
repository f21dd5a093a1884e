"""A run that was killed is shown as what it is, and what it never came to counts as not passed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

AGENT = """\
name: x
model: {provider: scripted, name: script.json}
instructions: hi
tools: [{name: wait, type: function, description: d, file: tools.py, function: wait}]
test_cases:
  - {name: quick, input: quick, checks: [{contains: fine}]}
  - {name: endless, input: endless, checks: [{contains: fine}]}
"""
SCRIPT = """{"conversations": [
  {"when": "endless", "replies": [{"calls": [{"name": "wait"}]}, "fine"]}, {"when": "", "replies": ["fine"]}]}"""
TOOL = """\
import pathlib, threading
def wait():
    pathlib.Path("reached").touch()
    if not pathlib.Path("free").exists():
        threading.Event().wait(60)
    return "ok"
"""


def seatrial(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "seatrial", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 30
    while not path.exists() and time.monotonic() < deadline:
        os.sched_yield()
    assert path.exists()


def test_a_killed_run_is_no_success_and_its_missing_cases_can_be_run(tmp_path: Path) -> None:
    for name, text in (("agent.yaml", AGENT), ("script.json", SCRIPT), ("tools.py", TOOL)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "seatrial", "test", "--concurrency", "1"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        wait_for(tmp_path / "reached")
        while not json.loads(seatrial(tmp_path, "runs", "show", "--json").stdout)["tests"]:
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)

    shown = seatrial(tmp_path, "runs", "show")
    assert "UNFINISHED  1 of 2 trials were not made" in shown.stdout, shown.stdout + shown.stderr
    assert "PASSED" not in shown.stdout
    summary = json.loads(seatrial(tmp_path, "runs", "show", "--json").stdout)["summary"]
    assert summary["exit_code"] == 1

    (tmp_path / "free").touch()
    again = seatrial(tmp_path, "test", "--failed")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "endless" in again.stdout
    assert "1 of 1 passed" in again.stdout
