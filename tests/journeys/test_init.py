"""From nothing to a verdict: each template is written, validates without a warning and passes its own tests offline."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from seatrial.cli.starter import TEMPLATES

SOURCE = Path(__file__).parents[2] / "src"


def seatrial(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a command in ``folder`` with nothing set that a key could come from."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_TOKEN"))}
    return subprocess.run(
        [sys.executable, "-m", "seatrial", *arguments],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_new_project_runs_at_once_and_passes(tmp_path: Path, template: str) -> None:
    written = seatrial(tmp_path, "init", "new", "--template", template)
    assert written.returncode == 0, written.stderr
    checked = seatrial(tmp_path / "new", "validate")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "warning" not in checked.stdout + checked.stderr
    tested = seatrial(tmp_path / "new", "test", "--json")
    assert tested.returncode == 0, tested.stdout + tested.stderr
    cases = json.loads(tested.stdout)["tests"]
    assert {case["outcome"] for case in cases} == {"passed"}
    assert len(cases) >= 3


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_command_of_a_new_projects_readme_works(tmp_path: Path, template: str) -> None:
    seatrial(tmp_path, "init", "new", "--template", template)
    readme = (tmp_path / "new" / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^seatrial (.*?)(?:\s{2,}#.*)?$", readme, re.M)
    assert len(commands) >= 3
    for line in commands:
        done = seatrial(tmp_path / "new", *shlex.split(line))
        assert done.returncode == 0, (line, done.stdout, done.stderr)
