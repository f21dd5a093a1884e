"""``seatrial test --watch``: a change runs the cases again, a mistake is told and waited out, Ctrl-C leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


class Watching:
    """A command that runs on; ``until`` reads what it says, line by line."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "seatrial", "test", "--watch"],
            cwd=folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        self.said: list[str] = []

    def until(self, text: str) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.said.append(line)
            if text in line:
                return "".join(self.said)
        raise AssertionError(f"{text!r} was never said:\n{''.join(self.said)}")

    def leave(self) -> int:
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(timeout=60)

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def test_a_change_runs_the_cases_again_and_a_mistake_is_waited_out(write_agent: Callable[..., Path]) -> None:
    cases: list[tuple[str, Any, str | None]] = [("one", "yes", "yes")]
    folder = write_agent(cases)
    watching = Watching(folder)
    try:
        watching.until("1 of 1 passed")
        watching.until("; Ctrl-C leaves")
        right = (folder / "agent.yaml").read_text(encoding="utf-8")
        (folder / "agent.yaml").write_text(right.replace('name: "one"', 'nmae: "one"'), encoding="utf-8")
        assert "did you mean" in watching.until("has 1 error")
        watching.until("; Ctrl-C leaves")
        script = (folder / "script.json").read_text(encoding="utf-8")
        (folder / "script.json").write_text(script.replace('["yes"]', '["no"]'), encoding="utf-8")
        (folder / "agent.yaml").write_text(right, encoding="utf-8")
        watching.until("0 of 1 passed")
        watching.until("; Ctrl-C leaves")
        assert watching.leave() == 1
    finally:
        watching.close()


@pytest.mark.parametrize("option", [["--dry-run"], ["--json"], ["--resume"], ["--update-baseline"]])
def test_what_is_done_once_is_not_watched(write_agent: Callable[..., Path], seatrial: Run, option: list[str]) -> None:
    write_agent([("one", "yes", "yes")])
    done = seatrial("test", "--watch", *option)
    assert done.returncode == 2
    assert f"leave {option[0]} out" in done.stderr
