"""The page on running a suite: every command does what is said there, in a new project."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.pages import commands_of, page, run

from seatrial.cli.suite import command as suite
from seatrial.reporters.words import MARKS, STOPPED

PAGE = page("guides/running.md")
COMMANDS = commands_of(PAGE)


def test_every_command_ends_as_it_is_said_to(tmp_path: Path) -> None:
    assert run("seatrial init shop", tmp_path).returncode == 0
    assert len(COMMANDS) >= 15
    for command in COMMANDS:
        expected = re.search(r"exit code (\d+)", command)
        done = run(command, tmp_path / "shop")
        assert done.returncode == (int(expected[1]) if expected else 0), f"{command}\n{done.stdout}\n{done.stderr}"


def test_every_option_on_the_page_is_one_and_the_table_has_every_exit_code() -> None:
    known = {name for parameter in suite.params for name in parameter.opts}
    asked = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE)) - {"--format", "--keep"}
    assert asked <= known
    table = dict(re.findall(r"^\| (\d+) \| ([A-Z, ]+?) \|", PAGE, re.MULTILINE))
    assert {int(code): words.split(", ") for code, words in table.items()} == {
        code: [word, STOPPED] if code == 1 else [word] for code, word in MARKS.items()
    }
