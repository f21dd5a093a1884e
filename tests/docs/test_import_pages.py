"""The pages for users of other tools: what they show is what the commands do."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from seatrial.config.promptfoo.asserts import METRICS
from seatrial.config.promptfoo.checks import CHECKS
from seatrial.config.promptfoo.tables import table
from seatrial.config.promptfoo.template import FILTERS

GUIDES = Path(__file__).parents[2] / "docs" / "guides"
FILES = {"yaml": {"from-promptfoo": "promptfooconfig.yaml", "from-holodeck": "agent.yaml"}}
PROMPTFOO = (GUIDES / "from-promptfoo.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    text = (GUIDES / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["from-promptfoo", "from-holodeck"])
def test_the_files_and_commands_of_the_page_give_what_it_shows(page: str, tmp_path: Path) -> None:
    (written,) = blocks(page, "yaml")
    (tmp_path / FILES["yaml"][page]).write_text(written, encoding="utf-8")
    for language, name in (("json", "support.json"), ("csv", "questions.csv")):
        for text in blocks(page, language):
            (tmp_path / name).write_text(text, encoding="utf-8")
    said = ""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "OPENAI_API_KEY": "not-sent"}
    for line in "".join(blocks(page, "sh")).splitlines():
        command = shlex.split(line, comments=True)
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100, env=env, encoding="utf-8"
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        said += done.stdout + done.stderr
    (shown,) = blocks(page, "text")
    for line in shown.splitlines():
        assert line in said


def test_the_page_names_every_assertion_provider_and_filter_that_is_carried_over() -> None:
    named = set(re.findall(r"`([\w:-]+)`", PROMPTFOO))
    shortened = {"contains-all", "contains-any", "icontains-all", "icontains-any"}
    aliases = {"model-graded-factuality", "palm", "string", "safe", "d"}
    assert {*CHECKS, *METRICS, *table("hosts"), *FILTERS} - named == shortened | aliases
