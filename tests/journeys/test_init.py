"""From nothing to a verdict: each template is written, validates without a warning and passes its own tests offline."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from seatrial.cli.starter import TEMPLATES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"


def seatrial(folder: Path, *arguments: str, package: Path = SOURCE) -> subprocess.CompletedProcess[str]:
    """Runs a command in ``folder`` with the package found in ``package`` and nothing set that a key could come from."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_TOKEN"))}
    return subprocess.run(
        [sys.executable, "-m", "seatrial", *arguments],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def runs_at_once(folder: Path, template: str, package: Path = SOURCE) -> None:
    written = seatrial(folder, "init", "new", "--template", template, package=package)
    assert written.returncode == 0, written.stderr
    checked = seatrial(folder / "new", "validate", package=package)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "warning" not in checked.stdout + checked.stderr
    tested = seatrial(folder / "new", "test", "--json", package=package)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    cases = json.loads(tested.stdout)["tests"]
    assert {case["outcome"] for case in cases} == {"passed"}
    assert len(cases) >= 3


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_new_project_runs_at_once_and_passes(tmp_path: Path, template: str) -> None:
    runs_at_once(tmp_path, template)


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_command_of_a_new_projects_readme_works(tmp_path: Path, template: str) -> None:
    seatrial(tmp_path, "init", "new", "--template", template)
    readme = (tmp_path / "new" / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^seatrial (.*?)(?:\s{2,}#.*)?$", readme, re.M)
    assert len(commands) >= 3
    for line in commands:
        done = seatrial(tmp_path / "new", *shlex.split(line))
        assert done.returncode == 0, (line, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel, unpacked."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    unpacked = out / "unpacked"
    zipfile.ZipFile(next(out.glob("*.whl"))).extractall(unpacked)
    return unpacked


def test_the_wheel_holds_every_template_and_data_file(wheel: Path) -> None:
    for folder in ("seatrial/cli/templates", "seatrial/providers/data"):
        kept = {path.relative_to(SOURCE) for path in (SOURCE / folder).rglob("*") if path.is_file()}
        kept = {path for path in kept if "__pycache__" not in path.parts}
        assert len(kept) > 3
        assert [str(path) for path in kept if not (wheel / path).exists()] == []


@pytest.mark.parametrize("template", TEMPLATES)
def test_p022_a_new_project_from_the_wheel_runs_at_once_and_passes(tmp_path: Path, wheel: Path, template: str) -> None:
    runs_at_once(tmp_path, template, package=wheel)
