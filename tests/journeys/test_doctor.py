"""``seatrial doctor``: what is missing, and the line that mends it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.threaded_server import Asked, Reply, ThreadedServer, json_reply, threaded_server

Run = Callable[..., subprocess.CompletedProcess[str]]
SECRET = "sk-canary-0123456789"
NO_KEYS = {"OPENAI_API_KEY": "", "ANTHROPIC_API_KEY": "", "AZURE_OPENAI_API_KEY": ""}
NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def host() -> Iterator[ThreadedServer]:
    with threaded_server() as server:
        yield server


def agent(folder: Path, model: str, more: str = "") -> None:
    (folder / "agent.yaml").write_text(f"name: a\nmodel: {model}\ninstructions: Hi.\n{more}", encoding="utf-8")


def found(done: subprocess.CompletedProcess[str], about: str) -> dict[str, Any]:
    """The finding, which is the only one of its kind."""
    [finding] = [each for each in json.loads(done.stdout)["findings"] if each["about"].startswith(about)]
    return dict(finding)


def test_without_an_agent_it_tells_of_this_computer_and_shows_no_key(seatrial: Run) -> None:
    done = seatrial("doctor", **{**NO_KEYS, "OPENAI_API_KEY": SECRET})
    assert done.returncode == 0, done.stdout
    assert "Python 3." in done.stdout
    assert "extra [local]" in done.stdout
    assert "export ANTHROPIC_API_KEY=..." in done.stdout
    assert done.stdout.endswith("nothing to mend\n")
    assert SECRET not in done.stdout + done.stderr


def test_a_key_in_the_env_file_beside_the_agent_counts(seatrial: Run, tmp_path: Path) -> None:
    agent(tmp_path, "openai:gpt-5-mini")
    (tmp_path / ".env").write_text(f"OPENAI_API_KEY={SECRET}\n", encoding="utf-8")
    env = {name: value for name, value in NO_KEYS.items() if name != "OPENAI_API_KEY"}
    done = seatrial("doctor", "--json", **env)
    assert found(done, "OPENAI_API_KEY")["state"] == "ok"
    assert found(done, "model openai")["state"] == "ok"
    assert SECRET not in done.stdout


def test_a_missing_key_is_a_problem_only_for_the_agent_that_needs_it(seatrial: Run, tmp_path: Path) -> None:
    agent(tmp_path, "anthropic:claude-sonnet-5")
    done = seatrial("doctor", "--json", **NO_KEYS)
    assert done.returncode == 2
    assert found(done, "OPENAI_API_KEY")["state"] == "absent"
    assert "export ANTHROPIC_API_KEY=..." in found(done, "model anthropic")["mend"]


def test_an_extra_that_is_missing_is_told_once_with_its_mend(
    seatrial: Run, tmp_path: Path, path_without_extras: str
) -> None:
    tools = "tools: [{name: notes, type: vectorstore, description: d, source: agent.yaml}]\n"
    text = f"name: a\nmodel: local:minilm-extractive\ninstructions: x\n{tools}"
    (tmp_path / "agent.yaml").write_text(text, encoding="utf-8")
    done = seatrial("doctor", "--offline", PYTHONPATH=path_without_extras)
    assert done.returncode == 2
    assert done.stdout.endswith("1 to mend: extra [local]\n")
    told = [line for line in done.stdout.splitlines() if "extra [local]  " in line]
    assert [line.split()[0] for line in told] == ["problem"]
    assert "needed by the model local minilm-extractive" in told[0]
    assert "pip install" in done.stdout.splitlines()[done.stdout.splitlines().index(told[0]) + 1]


def test_a_broken_agent_file_is_named_with_its_first_error(seatrial: Run, tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text("name: a\nmodle: openai:x\ninstructions: Hi.\n", encoding="utf-8")
    done = seatrial("doctor")
    assert done.returncode == 2
    assert "agent.yaml:2:1" in done.stdout
    assert "seatrial validate" in done.stdout
    assert seatrial("doctor", "nowhere").returncode == 2


def test_a_program_of_a_server_that_is_not_there_is_a_problem(seatrial: Run, tmp_path: Path) -> None:
    agent(
        tmp_path, "local:minilm-extractive", "tools: [{name: s, type: mcp, description: d, command: no-such-program}]\n"
    )
    done = seatrial("doctor", "--json")
    assert done.returncode == 2
    assert "no-such-program" in found(done, "MCP server s")["message"]
    assert found(done, "MCP server s")["mend"]


def test_a_host_is_asked_only_when_it_is_wanted(seatrial: Run, tmp_path: Path, host: ThreadedServer) -> None:
    agent(tmp_path, f"{{provider: openai_compatible, name: small, endpoint: '{host.url}/v1'}}")
    assert seatrial("doctor").returncode == 0
    assert seatrial("doctor", "--offline").returncode == 0
    assert host.requests == []


@pytest.mark.parametrize(
    ("reply", "code", "told"),
    [
        (json_reply({"data": [{"id": "small"}]}), 0, "takes the key and has small"),
        (json_reply({"data": [{"id": "smaller"}, {"id": "large"}]}), 2, "write one of these as `name:`: smaller"),
        (json_reply({"error": "no"}, 401), 2, "check the key of provider openai_compatible"),
        (Reply(status=404), 0, "can be reached"),
        (Reply(b"down", status=503), 3, "try again later"),
        (Reply(b"\xff not json"), 0, "can be reached"),
    ],
)
def test_a_host_says_whether_it_takes_the_key_and_has_the_model(
    seatrial: Run, tmp_path: Path, host: ThreadedServer, reply: Reply, code: int, told: str
) -> None:
    host.answer = lambda _asked: reply
    agent(tmp_path, f"{{provider: openai_compatible, name: small, endpoint: '{host.url}/v1', api_key: '${{KEY}}'}}")
    done = seatrial("doctor", "--online", KEY=SECRET)
    assert done.returncode == code, done.stdout + done.stderr
    assert told in done.stdout
    [asked] = host.requests
    assert (asked.method, asked.path, asked.headers["authorization"]) == ("GET", "/v1/models", f"Bearer {SECRET}")
    assert SECRET not in done.stdout


def test_ollama_is_asked_for_its_tags(seatrial: Run, tmp_path: Path, host: ThreadedServer) -> None:
    def tags(asked: Asked) -> Reply:
        return json_reply({"models": [{"name": "llama3:latest"}]}) if asked.path == "/api/tags" else Reply(status=404)

    host.answer = tags
    agent(tmp_path, f"{{provider: ollama, name: llama3, endpoint: '{host.url}'}}")
    assert seatrial("doctor", "--online").returncode == 0
    agent(tmp_path, f"{{provider: ollama, name: qwen3, endpoint: '{host.url}'}}")
    assert "ollama pull qwen3" in seatrial("doctor", "--online").stdout


def test_a_host_that_is_not_there_is_the_world_outside(seatrial: Run, tmp_path: Path) -> None:
    agent(
        tmp_path,
        f"{{provider: openai_compatible, name: small, endpoint: '{NOBODY}/v1'}}",
        f"tools: [{{name: s, type: mcp, description: d, url: '{NOBODY}/mcp'}}]\n",
    )
    done = seatrial("doctor", "--online", "--json")
    assert done.returncode == 3
    assert found(done, "host ")["exit_code"] == 3
    assert [each["state"] for each in json.loads(done.stdout)["findings"] if each["about"] == "MCP server s"] == [
        "ok",
        "problem",
    ]


def test_a_store_that_cannot_be_written_is_told_with_the_line_that_mends_it(seatrial: Run, tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o555)
    done = seatrial("doctor", "--store", str(folder / "runs.db"))
    may_write = os.geteuid() == 0  # root may write everywhere
    assert (f"chmod u+w {folder}" in done.stdout) is not may_write
    assert done.returncode == 3 or may_write


def test_a_store_below_a_file_is_told(seatrial: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    done = seatrial("doctor", "--store", "file/runs.db")
    assert done.returncode == 3
    assert "file is no folder" in done.stdout


def test_a_store_that_is_none_is_told(seatrial: Run, tmp_path: Path) -> None:
    (tmp_path / "runs.db").write_bytes(b"this is no database" * 100)
    done = seatrial("doctor", "--store", "runs.db")
    assert done.returncode != 0
    assert "problem  run store" in done.stdout
