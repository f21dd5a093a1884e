"""The page on chats: its commands end as they should, and its tables are those of the program."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import yaml

from seatrial.cli.chat.command_names import SUMMARIES

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "chat.md").read_text(encoding="utf-8")
FIRST, PIPED, RUN, DOCTOR = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": path, "OPENAI_API_KEY": "sk-nothing"},
    )


def test_every_command_ends_as_it_is_said_to(tmp_path: Path) -> None:
    assert run("seatrial init shop && cp -r shop support && mv support shop", tmp_path).returncode == 0
    for command in [*FIRST.splitlines(), *PIPED.splitlines(), *RUN.splitlines(), *DOCTOR.splitlines()]:
        expected = re.search(r"exit code (\d+)", command)
        done = run(command, tmp_path / "shop")
        assert done.returncode == (int(expected[1]) if expected else 0), f"{command}\n{done.stdout}\n{done.stderr}"


def test_the_saved_case_is_the_one_on_the_page(tmp_path: Path) -> None:
    assert run("seatrial init shop", tmp_path).returncode == 0
    assert run(PIPED.splitlines()[1], tmp_path / "shop").returncode == 0
    [shown] = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    text = (tmp_path / "shop" / "agent.yaml").read_text(encoding="utf-8")
    assert text.endswith(f"\n\n{shown}")
    assert yaml.safe_load(shown)[0]["expected_tools"] == ["opening_hours"]


def test_every_slash_command_is_in_the_table() -> None:
    assert re.findall(r"^\| `/(\w+)", PAGE, re.MULTILINE) == list(SUMMARIES)
