"""What the README says is done by a test, block by block."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from runpy import run_path

import pytest

from seatrial.config.loader import load_agent

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def lines(block: str) -> list[str]:
    return [line.partition("#")[0].strip() for line in block.splitlines() if line.partition("#")[0].strip()]


COMMANDS = [command for block in blocks("sh") for command in lines(block)]


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "PATH": path}
    )


def test_the_start_of_your_own_works_as_written(tmp_path: Path) -> None:
    folder = tmp_path
    done = []
    for command in COMMANDS:
        words = shlex.split(command)
        if words[0] == "cd":
            folder = folder / words[1]
        elif words[0] == "seatrial":
            result = run(words, folder)
            assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
            done.append(words[1])
    assert {"init", "validate", "test", "runs"} <= set(done)


@pytest.mark.parametrize("command", [command for command in COMMANDS if command.startswith("make")])
def test_each_make_target_exists(command: str) -> None:
    assert run(["make", "--dry-run", *shlex.split(command)[1:]], ROOT).returncode == 0


def test_only_known_programs_are_named() -> None:
    assert {shlex.split(command)[0] for command in COMMANDS} <= {"make", "pip", "cd", "seatrial"}


@pytest.mark.parametrize("text", blocks("yaml"))
def test_the_agent_file_is_valid(text: str, tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "knowledge").mkdir()
    assert load_agent(tmp_path).diagnostics == ()


def test_the_ten_lines_call_the_tool_and_pass_with_the_document_beside_them(tmp_path: Path) -> None:
    (text,), (document,) = blocks("yaml"), blocks("markdown")
    assert len(text.splitlines()) <= 12
    (tmp_path / "agent.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "knowledge").mkdir()
    (tmp_path / "knowledge" / "returns.md").write_text(document, encoding="utf-8")
    result = run(["seatrial", "test"], tmp_path)
    assert result.returncode == 0, f"{result.stdout}\n{result.stderr}"
    assert "✓ search" in result.stdout
    assert "1 of 1 passed" in result.stdout


@pytest.mark.parametrize("code", blocks("python"))
def test_the_python_runs(code: str, tmp_path: Path) -> None:
    (tmp_path / "example.py").write_text(code, encoding="utf-8")
    done = run([sys.executable, "example.py"], tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "Mild. 22 degrees in Oslo\n"


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_picture_of_the_demo_shows_what_the_demo_shows() -> None:
    script = run_path(str(ROOT / "scripts" / "readme_demo.py"))
    rows = re.compile(r"^([✓✗]  .+?)  +(passed|failed) ", re.MULTILINE)
    shown = script["BLOCK"].search(README)
    assert shown is not None
    real = rows.findall(script["picture"](script["real_output"]()))
    assert rows.findall(shown[0]) == real
    assert len(real) == 20
