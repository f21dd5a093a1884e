"""Servers that may be left out and did not start: nobody who reads the results can miss it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
ALLOWED = {"SEATRIAL_ALLOW_MCP": "1"}
WHY = "the tools of stock cannot be listed: the MCP server 'stock' ended with exit status 1"


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., None]:
    """An agent whose one server does not start, and whose model calls its tool all the same."""

    def written(isolation: str, *cases: dict[str, Any]) -> None:
        replies = [{"calls": [{"name": "count", "arguments": {}}]}, "Twelve."]
        script = {"conversations": [{"when": "", "replies": replies} for _ in cases]}
        (tmp_path / "script.json").write_text(json.dumps(script), encoding="utf-8")
        server = {"name": "stock", "type": "mcp", "description": "d", "command": "sh", "args": ["-c", "exit 1"]}
        agent = {
            "name": "shop",
            "model": {"provider": "scripted", "name": "script.json"},
            "instructions": "Answer.",
            "tools": [{**server, "on_error": "skip", "isolation": isolation}],
            "test_cases": [{"name": f"case-{n}", "input": f"q{n}", **case} for n, case in enumerate(cases)],
        }
        (tmp_path / "agent.yaml").write_text(json.dumps(agent), encoding="utf-8")

    return written


@pytest.mark.parametrize("isolation", ["shared", "per_case"])
def test_a_case_whose_expected_tool_was_never_there_fails_though_the_model_called_it(
    write: Callable[..., None], seatrial: Run, isolation: str
) -> None:
    write(isolation, {"expected_tools": ["count"]}, {"expected_tools": ["stock"], "checks": [{"contains": "Twelve"}]})
    done = seatrial("test", **ALLOWED)
    assert done.returncode == 1, done.stdout
    assert "there was no tool count: " + WHY in " ".join(done.stdout.split())
    assert "2 failed" in done.stdout


def test_a_server_of_each_case_that_is_left_out_is_told_at_once_in_the_row_in_the_summary_and_in_the_record(
    write: Callable[..., None], seatrial: Run, tmp_path: Path
) -> None:
    check = {"checks": [{"contains": "Twelve"}]}
    write("per_case", check, check)
    done = seatrial("test", "--junit", "out.xml", "--json", **ALLOWED)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("warning: the MCP server 'stock' ended") == 1
    assert "warned" in done.stderr
    assert f"warning in 2 trials: {WHY}" in " ".join(done.stderr.split())
    report = json.loads(done.stdout)
    assert [warning["trials"] for warning in report["summary"]["warnings"]] == [2]
    assert all(test["warnings"][0].startswith(WHY) for test in report["tests"])
    assert WHY in (tmp_path / "out.xml").read_text(encoding="utf-8").replace("&apos;", "'")
    in_pytest = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", "--seatrial", "agent.yaml"],
        cwd=tmp_path,
        env={**os.environ, **ALLOWED},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert f"PytestWarning: {WHY}" in in_pytest.stdout
    assert "2 passed, 2 warnings" in in_pytest.stdout
    shown = seatrial("runs", "show", "--case", "case-0")
    assert f"warning: {WHY}" in " ".join(shown.stdout.split())
