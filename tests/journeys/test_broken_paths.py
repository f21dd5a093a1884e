"""What a newcomer is told where something is missing: each message says the mend."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

LOCAL = "local:minilm-extractive"
MISSING = "create it, or name another"
BROKEN = {
    "no agent file": ("", 2, "`seatrial init` writes one"),
    "no key": ("model: {provider: openai, name: gpt-5-mini}", 2, "export OPENAI_API_KEY=..."),
    "no server": ("model: {provider: ollama, name: m, endpoint: 'http://127.0.0.1:9'}", 3, "Start the server"),
    "no network": (
        "model: {provider: openai_compatible, name: m, endpoint: 'http://no-such-host.invalid/v1'}",
        3,
        "Check the network and the endpoint's URL",
    ),
    "missing file": (
        f"model: {LOCAL}\ntools: [{{name: s, type: vectorstore, description: d, source: notes}}]",
        2,
        MISSING,
    ),
    "wrong model": ("model: local:minilm", 2, "write `minilm-extractive`"),
    "misspelt key": (f"modle: {LOCAL}", 2, "did you mean `model`?"),
    "no tool server": (
        f"model: {LOCAL}\ntools: [{{name: s, type: mcp, description: d, command: nosuchprogram}}]",
        3,
        "there is no program 'nosuchprogram'\n  install it, or give its whole path",
    ),
    "unknown tool": (f"model: {LOCAL}\ntest_cases: [{{input: hi, expected_tools: [serch]}}]", 2, "no tool is named"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_message_says_the_mend(
    name: str, tmp_path: Path, seatrial: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    written, code, mend = BROKEN[name]
    if written:
        (tmp_path / "agent.yaml").write_text(f"name: a\n{written}\ninstructions: x\n", encoding="utf-8")
    done = seatrial("run", "--allow-mcp", "hi", OPENAI_API_KEY="")
    assert done.returncode == code, done.stderr
    assert mend in done.stderr
    assert "Traceback" not in done.stderr


def test_an_extra_that_is_not_installed_is_told_with_the_line_that_adds_it(
    tmp_path: Path, seatrial: Callable[..., subprocess.CompletedProcess[str]], path_without_extras: str
) -> None:
    (tmp_path / "agent.yaml").write_text(f"name: a\nmodel: {LOCAL}\ninstructions: x\n", encoding="utf-8")
    done = seatrial("run", "hi", PYTHONPATH=path_without_extras)
    assert done.returncode == 2
    assert "error: the embedded engine needs the extra [local]\n  " in done.stderr
    assert re.search(r"^  .*pip install .*\[local\]", done.stderr, re.MULTILINE)
    assert "Traceback" not in done.stderr
