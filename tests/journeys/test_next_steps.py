"""What is missing outside: each is one clear message that says what to do next, in ``run``, ``chat`` and ``test``."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.threaded_server import Asked, Reply, ThreadedServer, json_reply, threaded_server

SOURCE = Path(__file__).parents[2] / "src"
NOBODY = "http://127.0.0.1:9"
LOCAL = "local:minilm-extractive"
CASES = "test_cases: [{name: c, input: hello, checks: {contains: x}}]\n"


@pytest.fixture(scope="module")
def host() -> Iterator[ThreadedServer]:
    def answer(asked: Asked) -> Reply:
        if json.loads(asked.raw)["model"] == "wrong-key":
            return json_reply({"error": {"message": "Incorrect API key provided.", "code": "invalid_api_key"}}, 401)
        return json_reply({"error": {"message": "The model does not exist.", "code": "model_not_found"}}, 404)

    with threaded_server() as server:
        server.answer = answer
        yield server


def at(endpoint: str, name: str = "m") -> str:
    """A model at an endpoint, asked once."""
    return f"{{provider: openai_compatible, name: {name}, endpoint: '{endpoint}/v1', compat: {{max_tries: 1}}}}"


def tool(more: str) -> str:
    return f"tools: [{{name: s, description: d, {more}}}]\n"


BROKEN = {
    "no key": ("openai:gpt-5-mini", "", 2, "export OPENAI_API_KEY=..."),
    "no server": (at(NOBODY), "", 3, "tart the server"),
    "no name": (at("http://nowhere.invalid"), "", 3, "heck the network"),
    "wrong model": (at("HOST"), "", 3, "seatrial doctor --online"),
    "wrong key": (at("HOST", "wrong-key"), "", 3, "heck the API key"),
    "no program": (LOCAL, tool("type: mcp, command: nosuch"), 3, "install it"),
    "no address": (LOCAL, tool(f"type: mcp, url: '{NOBODY}/mcp'"), 3, "start it, or correct its `url`"),
    "no file": (LOCAL, tool("type: function, file: no.py, function: f"), 2, "create it"),
    "no documents": (LOCAL, tool("type: vectorstore, source: notes"), 2, "create it, or name another"),
    "no such key": (LOCAL, "instuctions: Hi.\n", 2, "did you mean `instructions`?"),
    "no such tool": (LOCAL, "test_cases: [{input: hi, expected_tools: [serch]}]\n", 2, "no tool is named `serch`"),
    "not the model": ("local:gpt-5", "", 2, "write `minilm-extractive`"),
    "not the provider": ("opanai:gpt-5-mini", "", 2, "did you mean"),
}


@pytest.mark.parametrize("command", ["run", "chat", "test"])
@pytest.mark.parametrize("name", BROKEN)
def test_it_is_one_message_with_the_next_step(tmp_path: Path, host: ThreadedServer, name: str, command: str) -> None:
    model, more, code, step = BROKEN[name]
    cases = "" if "test_cases" in more else CASES
    text = f"name: a\nmodel: {model.replace('HOST', host.url)}\ninstructions: Hi.\n{more}{cases}"
    (tmp_path / "agent.yaml").write_text(text, encoding="utf-8")
    ended, shown = ask(tmp_path, command)
    assert ended == code, shown
    assert step in shown


@pytest.mark.parametrize("command", ["run", "chat", "test"])
def test_without_an_agent_file_it_is_the_command_that_writes_one(tmp_path: Path, command: str) -> None:
    ended, shown = ask(tmp_path, command)
    assert ended == 2, shown
    assert "`seatrial init` writes one" in shown


@pytest.mark.parametrize("command", ["run", "chat", "test"])
def test_without_an_extra_it_is_the_line_that_adds_it(tmp_path: Path, path_without_extras: str, command: str) -> None:
    (tmp_path / "agent.yaml").write_text(f"name: a\nmodel: {LOCAL}\ninstructions: Hi.\n{CASES}", encoding="utf-8")
    ended, shown = ask(tmp_path, command, PYTHONPATH=path_without_extras)
    assert ended == 2, shown
    assert re.search(r"error: the embedded engine needs the extra \[local\] \S.*pip install .*\[local\]", shown)


def ask(folder: Path, command: str, **env: str) -> tuple[int, str]:
    """The exit code and all that is shown, on one line."""
    done = subprocess.run(
        [sys.executable, "-m", "seatrial", command, *(["hello"] if command == "run" else []), "--allow-mcp"],
        cwd=folder,
        input="hello\n",
        env={**os.environ, "PYTHONPATH": str(SOURCE), "OPENAI_API_KEY": "", "no_proxy": "*", **env},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    shown = " ".join((done.stdout + done.stderr).split())
    assert "Traceback" not in shown
    assert "internal error" not in shown
    assert "[Errno" not in shown
    return done.returncode, shown
