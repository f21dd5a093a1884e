"""The page on tools: its files are written as they stand there, its commands do what is said, its YAML is valid."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from seatrial.assembly.check import check
from seatrial.assembly.tools import build_tools
from seatrial.cli.tools import command as tools
from seatrial.config.loaded import LoadedAgent
from seatrial.config.loader import load_agent
from seatrial.core.agent import Agent
from seatrial.core.loop_config import RESULT_LIMIT_CHARS
from seatrial.providers.scripted import calls, says, scripted

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "tools.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
FILES = {match[1]: text for _, text in BLOCKS if (match := re.match(r"# ([\w.]+\.(?:yaml|py|md))\n", text))}
FRAGMENTS = [text for kind, text in BLOCKS if kind == "yaml" and not text.startswith("#")]
COMMANDS = [line for kind, text in BLOCKS if kind == "sh" for line in text.splitlines()]
HEAD = "name: shop\nmodel: openai:gpt-5-mini\ninstructions: Answer briefly.\n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "numbers.json").write_text('{"data": [1, 2, 9]}', encoding="utf-8")
    return tmp_path


def test_every_command_ends_as_it_is_said_to(shop: Path) -> None:
    assert len(COMMANDS) >= 8
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {key: value for key, value in os.environ.items() if key != "OPENAI_API_KEY"} | {"PATH": path}
    for command in COMMANDS:
        words = shlex.split(command, comments=True)
        done = subprocess.run(words, cwd=shop, env=env, capture_output=True, text=True, check=False, timeout=60)
        promised = re.search(r"# exit code (\d): (.*)$", command)
        assert done.returncode == (int(promised[1]) if promised else 0), f"{command}\n{done.stdout}\n{done.stderr}"
        output = re.search(r"# (\{.*\})$", command)
        told = promised[2] if promised else output[1] if output else ""
        assert told in done.stdout + done.stderr
    assert '"text":"2"' in done.stdout


def loaded(fragment: str, folder: Path) -> LoadedAgent:
    (folder / "agent.yaml").write_text(HEAD + fragment, encoding="utf-8")
    found = load_agent(folder, environ={"OPENAI_API_KEY": "sk-12345678"})
    assert [finding.as_text() for finding in (*found.diagnostics, *check(found))] == []
    return found


@pytest.mark.parametrize("fragment", FRAGMENTS, ids=range(len(FRAGMENTS)))
def test_every_example_is_valid_and_makes_tools(fragment: str, shop: Path) -> None:
    assert build_tools(loaded(fragment, shop))


async def test_the_example_of_a_context_does_what_it_says(shop: Path) -> None:
    fragment = next(text for text in FRAGMENTS if "report.py" in text)
    model = scripted(calls("report", orders=["A-1001", "A-1002"]), says("done"))
    result = await Agent(model, tools=build_tools(loaded(fragment, shop))).run("go")
    text = result.transcript.tool_results[0].text
    assert re.fullmatch(r'call \w+: \{"order": "A-1001", "state": "shipped"\}; \{.*"packed"\}', text)


def test_options_limits_and_commands_are_the_real_ones() -> None:
    known = {name for each in tools.commands.values() for parameter in each.params for name in parameter.opts}
    part = PAGE.split("## Looking at tools")[1].split("## A Python function")[0]
    assert set(re.findall(r"--[a-z]+", part)) <= known
    assert f"{RESULT_LIMIT_CHARS:,} characters" in PAGE
