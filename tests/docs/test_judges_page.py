"""The page on judges: its agent file, its labels and its commands, with a judge on loopback."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.judge_server import judge_server, text_of, verdict

from seatrial.cli.calibrate import command as calibrate

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "judges.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def answer(request: dict[str, Any]) -> str:
    """The agent says when it opens; its judge likes whatever speaks of nine, tea or yes."""
    text = text_of(request)
    if "examiner" not in text:
        return "At nine."
    said = text.partition("<<<ANSWER ")[2].partition("<<<END ANSWER ")[0]
    return verdict(5 if any(word in said for word in ("nine", "coffee", "Yes")) else 1)


def test_everything_on_the_page_works_as_written(tmp_path: Path) -> None:
    (agent,), (labels,), (commands,) = blocks("yaml"), blocks("csv"), blocks("sh")
    (tmp_path / "agent.yaml").write_text(agent, encoding="utf-8")
    (tmp_path / "labels.csv").write_text(labels, encoding="utf-8")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with judge_server(answer) as url:
        for line in commands.splitlines():
            done = subprocess.run(
                shlex.split(line, comments=True),
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
                timeout=100,
                env={**os.environ, "PATH": path, "ENDPOINT": url},
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
            if line.startswith("seatrial calibrate . labels.csv  "):
                for told in ("quadratic kappa", "people among themselves", "by length", "by position", "asked again"):
                    assert told in done.stdout
    found = json.loads((tmp_path / "calibration.json").read_text())["judges"]["relevance"]
    assert (found["calibration"]["n"], found["requests"]) == (6, 6)


def test_every_option_on_the_page_is_one() -> None:
    known = {name for parameter in calibrate.params for name in parameter.opts} | {"--format"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE)) <= known
