"""``seatrial run`` from end to end, with a model that follows a script."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Run = Callable[..., subprocess.CompletedProcess[str]]
WriteAgent = Callable[..., Path]

CASES = [
    ("hello", "hello yourself", "x"),
    ("broken", {"error": "401: wrong key"}, "x"),
    ("evil", "\x1b[2J gone", "x"),
]


def test_the_answer_is_all_that_stands_on_stdout(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    done = seatrial("run", "ask hello.")
    assert (done.returncode, done.stdout) == (0, "hello yourself\n")


def test_a_prompt_comes_through_a_pipe(write_agent: WriteAgent) -> None:
    folder = write_agent(CASES)
    done = subprocess.run(
        [sys.executable, "-m", "seatrial", "run"],
        cwd=folder,
        input="ask hello.\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "hello yourself\n")


def test_a_failing_provider_is_exit_code_3_and_its_own_words(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    done = seatrial("run", "ask broken.")
    assert (done.returncode, done.stdout) == (3, "")
    assert "401: wrong key" in done.stderr


def test_p017_an_answer_cannot_move_the_cursor(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    assert seatrial("run", "ask evil.").stdout == "\\x1b[2J gone\n"


def test_json_is_the_whole_result_with_exact_texts(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    found = json.loads(seatrial("run", "ask evil.", "--json").stdout)
    assert found["stop_reason"] == "stop"
    assert found["transcript"]["messages"][-1]["content"][0]["text"] == "\x1b[2J gone"


def test_steps_are_told_on_stderr(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    done = seatrial("run", "ask hello.", "--trace")
    assert done.stdout == "hello yourself\n"
    assert done.stderr.splitlines()[0] == "turn 1"
    assert done.stderr.splitlines()[-1] == "ended: stop"


def test_a_file_goes_with_the_prompt(write_agent: WriteAgent, seatrial: Run) -> None:
    folder = write_agent(CASES)
    (folder / "notes.md").write_text("# Notes\n\nask hello.\n", encoding="utf-8")
    assert seatrial("run", "see the file", "--file", "notes.md").stdout == "hello yourself\n"
    assert seatrial("run", "see the file", "--file", "missing.md").returncode == 2


def test_no_prompt_is_a_mistake(write_agent: WriteAgent, seatrial: Run) -> None:
    write_agent(CASES)
    done = seatrial("run", "  ")
    assert done.returncode == 2
    assert "there is no prompt" in done.stderr
