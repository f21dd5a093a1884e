"""Whole commands over an agent file with MCP servers, an obedient model on loopback, and an eye on every process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from tests.support.fake_model import FakeModel

SOURCE = Path(__file__).parents[2] / "src"
WATCH = Path(__file__).with_name("watch.py")
LIMIT_S = 60


def mcp_tool(name: str, command: list[str], **keys: Any) -> dict[str, Any]:
    """A tool entry of a server that is started."""
    return {"name": name, "type": "mcp", "description": f"The {name} server.", **started_by(command), **keys}


def started_by(command: list[str]) -> dict[str, Any]:
    return {"command": command[0], "args": command[1:]}


def case(name: str, *calls: tuple[str, dict[str, Any]], contains: str = "", **keys: Any) -> dict[str, Any]:
    """A case whose user has those tools called one after the other, and reads the answer for ``contains``."""
    asked = "\n".join(f"call {tool} {json.dumps(arguments)}" for tool, arguments in calls)
    checks = [{"contains": contains}] if contains else []
    return {"name": name, "input": asked, "checks": checks, **keys}


@dataclass(frozen=True)
class Ended:
    """How a command ended. ``left`` has the command lines of the processes that it left behind."""

    status: int
    stdout: str
    stderr: str
    left: list[str]

    @property
    def said(self) -> str:
        return self.stdout + self.stderr

    @property
    def report(self) -> Any:
        """The JSON document on stdout."""
        return json.loads(self.stdout)


@dataclass
class Journey:
    """A folder with an agent file."""

    folder: Path
    model: FakeModel
    env: dict[str, str] = field(default_factory=dict)

    def write(self, tools: list[dict[str, Any]], cases: list[dict[str, Any]], **more: Any) -> None:
        agent = {
            "name": "sailor",
            "model": {"provider": "openai_compatible", "name": "obedient", "endpoint": self.model.url},
            "instructions": "Do as you are told.",
            "tools": tools,
            "test_cases": cases,
            **more,
        }
        (self.folder / "agent.yaml").write_text(yaml.safe_dump(agent, sort_keys=False), encoding="utf-8")

    def test(self, *arguments: str) -> Ended:
        """``seatrial test``, to its end."""
        return self.run("test", "--allow-mcp", *arguments)

    def run(self, *arguments: str, grace_s: float = 0.3) -> Ended:
        with self.running(*arguments, grace_s=grace_s) as watched:
            return watched.ended()

    @contextmanager
    def running(self, *arguments: str, grace_s: float = 0.3) -> Iterator[Watched]:
        """A command in the background. Afterwards it is gone, and so is all that it started."""
        report = self.folder / "processes"
        report.unlink(missing_ok=True)
        process = subprocess.Popen(
            [sys.executable, WATCH, report, str(grace_s), sys.executable, "-m", "seatrial", *arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(SOURCE), **self.env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        watched = Watched(process, report)
        try:
            yield watched
        finally:
            watched.end()


class Watched:
    """A running command."""

    def __init__(self, process: subprocess.Popen[str], report: Path) -> None:
        self._process = process
        self._report = report

    @property
    def pid(self) -> int:
        """The command's own process id; once it has been asked of the model it is known."""
        return int(self._report.read_text(encoding="utf-8").splitlines()[0])

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def wait_for_file(self, path: Path) -> None:
        """Returns when the file is there; the command must not end before."""
        deadline = time.monotonic() + LIMIT_S
        while not path.exists():
            assert self._process.poll() is None
            assert time.monotonic() < deadline
            os.sched_yield()

    def ended(self) -> Ended:
        """Waits for the end."""
        stdout, stderr = self._process.communicate(timeout=LIMIT_S)
        left = json.loads(self._report.read_text(encoding="utf-8").splitlines()[1])
        return Ended(self._process.returncode, stdout, stderr, left)

    def end(self) -> None:
        if self._process.poll() is None:
            os.kill(self.pid, 9)
            self._process.communicate(timeout=LIMIT_S)
