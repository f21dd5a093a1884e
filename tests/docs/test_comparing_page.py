"""The page on comparing: every command does what is said there, in a new project."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.pages import commands_of, page, run

from seatrial.cli.compare import command as compare
from seatrial.cli.suite import command as suite

PAGE = page("guides/comparing.md")
COMMANDS = commands_of(PAGE)


def test_every_command_works_as_written(tmp_path: Path) -> None:
    assert run("seatrial init shop", tmp_path).returncode == 0
    assert len(COMMANDS) >= 10
    for command in COMMANDS:
        done = run(command, tmp_path / "shop")
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    assert (tmp_path / "shop" / "baseline.json").is_file()
    assert (tmp_path / "shop" / "diff.md").read_text().startswith("## NO EVIDENCE")


def test_every_option_on_the_page_is_one() -> None:
    known = {name for command in (compare, suite) for parameter in command.params for name in parameter.opts}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE)) <= known
