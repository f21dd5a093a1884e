"""The lines that a run prints to go on from are whole: pasted into a shell, they do what they say."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"
AGENT = """\
name: x
model: {provider: scripted, name: script.json}
instructions: hi
tools: [{name: t, type: function, description: d, file: moves.py, function: t}]
test_cases:
  - {name: "it's a", input: q, checks: [{contains: nothing of it}]}
  - {name: b, input: q, checks: [{contains: fine}]}
"""
MOVES = "import os, tempfile\n\n\ndef t():\n    os.chdir(tempfile.gettempdir())\n    return 'moved'\n"


def seatrial(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-m", "seatrial", *words]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False)


def write_project(folder: Path) -> None:
    (folder / "my agents").mkdir()
    (folder / "my agents" / "two.yaml").write_text(AGENT, encoding="utf-8")
    (folder / "my agents" / "moves.py").write_text(MOVES, encoding="utf-8")
    script = {"conversations": [{"when": "", "replies": [{"calls": [{"name": "t"}]}, "fine"]}]}
    (folder / "my agents" / "script.json").write_text(json.dumps(script), encoding="utf-8")


def pasted(text: str, label: str) -> list[str]:
    """The words of the command behind the label, without those of the program itself."""
    command = text.split(f"{label}:", 1)[1].strip().split("\n", 1)[0]
    words = shlex.split(command)
    return words[words.index("test" if label == "go on" else "runs") :]


def test_the_lines_to_go_on_by_name_agent_store_and_recording(tmp_path: Path) -> None:
    write_project(tmp_path)
    options = ["--store", "my runs.db", "--fail-fast", "--concurrency", "1", "--record", "my tapes"]
    done = seatrial(tmp_path, "test", "my agents/two.yaml", *options)
    assert done.returncode == 1, done.stdout + done.stderr
    assert (tmp_path / "my runs.db").exists()
    shown = seatrial(tmp_path, *pasted(done.stdout, "whole conversation"))
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "nothing of it" in shown.stdout
    again = pasted(done.stdout, "go on")
    assert again[-2:] == ["--record", "my tapes"]
    resumed = seatrial(tmp_path, *again)
    assert "1 of 2 passed" in resumed.stdout, resumed.stdout + resumed.stderr
    assert (tmp_path / "my tapes" / "b.json").exists()


def test_a_shown_run_names_the_agent_as_it_was_named_to_show_it(tmp_path: Path) -> None:
    write_project(tmp_path)
    seatrial(tmp_path / "my agents", "test", "two.yaml")
    shown = seatrial(tmp_path, "runs", "show", "-a", "my agents")
    assert seatrial(tmp_path, *pasted(shown.stdout, "whole conversation")).returncode == 0


def test_a_complete_run_is_shown_by_the_line_that_says_so(tmp_path: Path) -> None:
    write_project(tmp_path)
    seatrial(tmp_path, "test", "my agents/two.yaml", "--store", "my runs.db")
    done = seatrial(tmp_path, "test", "my agents/two.yaml", "--store", "my runs.db", "--resume")
    assert done.returncode == 2
    words = shlex.split(done.stderr.splitlines()[-1])
    assert seatrial(tmp_path, *words[words.index("runs") :]).returncode == 0
