"""The tutorial, done from its first line to its last in an empty folder, with the output that it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from tests.support.pages import page, run

PAGE = page("tutorial.md")
BLOCKS = re.findall(r"^```(\w+)(?: (>>?) (\S+))?\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
CHANGING = re.compile(r"20\d{6}-\d{6}-\w{4}|20\d\d-\d\d-\d\d \d\d:\d\d|[\d.]+ m?s\b|\s+")


def bare(line: str) -> str:
    """Without what differs from one run to the next, and without the width of columns."""
    return CHANGING.sub(" ", line).strip()


def test_every_step_gives_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    folder, said = tmp_path, ""
    assert len(BLOCKS) >= 18
    for language, redirect, name, text in BLOCKS:
        if redirect:
            with (folder / name).open("a" if redirect == ">>" else "w", encoding="utf-8") as file:
                file.write(text)
        elif language == "sh":
            said = ""
            for command in text.splitlines():
                words = shlex.split(command)
                if words[0] == "cd":
                    folder /= words[1]
                    continue
                done = run(command, folder)
                expected = re.search(r"# exit code (\d)", command)
                assert done.returncode == (int(expected[1]) if expected else 0), f"{command}{done.stdout}{done.stderr}"
                said += done.stdout + done.stderr
        elif language == "text":
            told = {bare(line) for line in said.splitlines()}
            assert [line for line in text.splitlines() if line != "..." and bare(line) not in told] == []
        else:
            raise AssertionError(f"what is done with this block of {language}?")


def test_nothing_on_the_page_needs_a_key() -> None:
    assert set(re.findall(r"provider: (\w+)", PAGE)) == {"local"}
    assert not re.findall(r"\bAPI_KEY\b", PAGE)
