"""The pages on recordings and on pytest: what they say is done."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from seatrial import testing
from seatrial.cli.suite import command as suite

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "docs" / "guides"
REPLAY = (GUIDES / "replay.md").read_text(encoding="utf-8")
PYTEST = (GUIDES / "pytest.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^seatrial [^#\n]+", REPLAY, re.MULTILINE)


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=100, env={**os.environ, "PATH": path}
    )


def test_every_command_of_the_page_works_in_a_new_project(tmp_path: Path) -> None:
    assert run(["seatrial", "init", "shop"], tmp_path).returncode == 0
    assert len(COMMANDS) == 4
    for command in COMMANDS:
        done = run(shlex.split(command), tmp_path / "shop")
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"


@pytest.mark.parametrize("page", [REPLAY, PYTEST], ids=["replay", "pytest"])
def test_every_option_is_one(page: str) -> None:
    known = {name for parameter in suite.params for name in parameter.opts}
    known |= {"--seatrial", "--seatrial-replay", "--collect-only", "--junitxml"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page)) <= known


def test_the_tests_on_the_page_pass(tmp_path: Path) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", PYTEST, re.MULTILINE | re.DOTALL)
    (tmp_path / "test_page.py").write_text(code.replace('"examples/', f'"{ROOT}/examples/'), encoding="utf-8")
    done = run([sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "-p", "no:cacheprovider", "."], tmp_path)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_the_page_has_every_name_for_tests() -> None:
    for name in set(testing.__all__) - {"ScriptedModel"}:
        assert f"{name}(" in PYTEST, name
