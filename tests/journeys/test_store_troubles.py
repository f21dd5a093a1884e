"""A store that is full, locked, shared or out of reach costs no finished result, and says what is the matter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
CASES = 300
AGENT = """\
name: shop
model: {provider: scripted, name: script.json}
instructions: Answer.
tools: [{name: wait, type: function, description: d, file: tools.py, function: wait}]
test_cases_file: cases.jsonl
"""
SCRIPT = """{"conversations": [
  {"when": "endless", "replies": [{"calls": [{"name": "wait"}]}, "fine"]}, {"when": "", "replies": ["fine"]}]}"""
TOOL = """\
import pathlib, threading
def wait():
    pathlib.Path("reached").touch()
    while not pathlib.Path("free").exists():
        threading.Event().wait(0.05)
"""


def write(folder: Path, inputs: list[str]) -> None:
    rows = [{"name": f"c{number}", "input": text, "checks": {"contains": "fine"}} for number, text in enumerate(inputs)]
    (folder / "cases.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    for name, text in (("agent.yaml", AGENT), ("script.json", SCRIPT), ("tools.py", TOOL)):
        (folder / name).write_text(text, encoding="utf-8")


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "seatrial", "test", *arguments]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on file sizes to be set")
def test_a_store_that_cannot_grow_keeps_what_is_finished_and_is_gone_on_with(tmp_path: Path, seatrial: Run) -> None:
    write(tmp_path, ["plain"] * CASES)
    command = f"ulimit -f 150; exec {sys.executable} -m seatrial test"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "runs.db cannot grow" in done.stderr
    assert "what is finished is kept" in done.stderr
    assert "Traceback" not in done.stderr
    kept = len(json.loads(seatrial("runs", "show", "--json").stdout)["tests"])
    assert 0 < kept < CASES
    again = seatrial("test", "--resume")
    assert again.returncode == 0, again.stderr
    assert f"{kept} of {CASES} were done before" in again.stdout
    assert f"{CASES} of {CASES} passed" in again.stdout


def test_a_place_where_nothing_can_be_stored_is_told_before_anything_is_asked(tmp_path: Path, seatrial: Run) -> None:
    write(tmp_path, ["endless"])
    (tmp_path / "file").touch()
    done = seatrial("test", "--store", "file/runs.db")
    assert done.returncode == 3
    assert "cannot be used" in done.stderr
    assert "make the folder writable" in done.stderr
    assert not (tmp_path / "reached").exists()


def test_two_runs_at_once_share_a_store_and_mix_nothing(tmp_path: Path, seatrial: Run) -> None:
    write(tmp_path, ["plain"] * CASES)
    both = [start(tmp_path), start(tmp_path)]
    told = [process.communicate(timeout=100)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    listed = json.loads(seatrial("runs", "list", "--json").stdout)
    assert [(each["run"]["status"], each["summary"]["passed"]) for each in listed] == [("finished", CASES)] * 2


def test_a_run_under_way_is_neither_gone_on_with_nor_deleted(tmp_path: Path, seatrial: Run) -> None:
    write(tmp_path, ["plain", "endless"])
    with start(tmp_path) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "reached").exists() and time.monotonic() < deadline:
            os.sched_yield()
        for command in (("test", "--resume"), ("runs", "delete", "last")):
            refused = seatrial(*command)
            assert (refused.returncode, "still under way" in refused.stderr) == (2, True), refused.stderr
        assert seatrial("runs", "gc", "--keep", "0").returncode == 0
        (tmp_path / "free").touch()
        told, _ = process.communicate(timeout=60)
    assert "2 of 2 passed" in told
    assert "PASSED  2 of 2" in seatrial("runs", "show").stdout


def test_a_store_that_a_tool_removes_is_missed(tmp_path: Path, seatrial: Run) -> None:
    write(tmp_path, ["endless", "plain"])
    remove = "import shutil\ndef wait():\n    shutil.rmtree('.seatrial')\n    return 'gone'\n"
    (tmp_path / "tools.py").write_text(remove, encoding="utf-8")
    done = seatrial("test")
    assert done.returncode == 3, done.stdout
    assert "the run store was removed while the run went on" in done.stderr
