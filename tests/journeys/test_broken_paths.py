"""What a newcomer is told where something is missing: each message says the mend."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

LOCAL = "local:minilm-extractive"
BROKEN = {
    "no agent file": ("", 2, "`seatrial init` writes one"),
    "no key": ("model: {provider: openai, name: gpt-5-mini}", 2, "set OPENAI_API_KEY in the environment or in .env"),
    "no server": ("model: {provider: ollama, name: m, endpoint: 'http://127.0.0.1:9'}", 3, "Start the server"),
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
