"""``seatrial tools`` with real MCP servers: listed and called like any other tool, started only when allowed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
SERVERS = Path(__file__).parents[1] / "support" / "mcp_servers"
ALLOWED = {"SEATRIAL_ALLOW_MCP": "1"}


@pytest.fixture
def agent(tmp_path: Path) -> Callable[[str], Path]:
    """An agent with a function ``one`` and the tools of one of our servers."""

    def write(server: str) -> Path:
        (tmp_path / "shop.py").write_text("def one(): return 'mine'\n", encoding="utf-8")
        (tmp_path / "script.json").write_text('["done"]', encoding="utf-8")
        entry = {"name": "pages", "type": "mcp", "description": "d", "command": sys.executable}
        own = {"name": "one", "type": "function", "description": "d", "file": "shop.py", "function": "one"}
        text = {
            "name": "shop",
            "model": {"provider": "scripted", "name": "script.json"},
            "instructions": "Answer.",
            "tools": [own, {**entry, "args": [str(SERVERS / "lists.py"), server]}],
        }
        (tmp_path / "agent.yaml").write_text(json.dumps(text), encoding="utf-8")
        return tmp_path

    return write


def test_y009_every_page_is_listed_and_a_name_that_is_taken_is_kept_apart(
    agent: Callable[[str], Path], seatrial: Run
) -> None:
    agent("paged")
    listed = seatrial("tools", "--json", **ALLOWED)
    assert listed.returncode == 0, listed.stderr
    found = json.loads(listed.stdout)["tools"]
    assert [tool["name"] for tool in found] == ["one", "pages_one", "two", "three", "four", "five", "six"]
    assert found[1]["type"] == "mcp"
    assert found[1]["source"].startswith("pages (")
    assert found[1]["sent"]["openai_chat"]["function"]["name"] == "pages_one"
    theirs = seatrial("tools", "call", "pages_one", "{}", **ALLOWED)
    assert theirs.returncode == 0
    assert theirs.stdout.startswith("one ")
    assert seatrial("tools", "call", "one", **ALLOWED).stdout == "mine\n"


def test_a_server_that_does_not_start_is_exit_code_3_and_the_agents_own_tools_work(
    agent: Callable[[str], Path], seatrial: Run
) -> None:
    agent("nothing-of-this-name")
    listed = seatrial("tools", **ALLOWED)
    assert listed.returncode == 3
    assert "one  function  shop.py:one" in listed.stdout
    assert "the MCP server 'pages' ended" in listed.stderr
    assert seatrial("tools", "call", "one", **ALLOWED).stdout == "mine\n"
    assert seatrial("tools", "call", "two", **ALLOWED).returncode == 3


@pytest.mark.parametrize(("on_error", "code"), [("fail", 3), ("skip", 0)])
def test_a_server_that_is_down_hides_no_tools_of_the_others(
    agent: Callable[[str], Path], seatrial: Run, on_error: str, code: int
) -> None:
    file = agent("paged") / "agent.yaml"
    content = json.loads(file.read_text(encoding="utf-8"))
    down = {"name": "down", "type": "mcp", "description": "d", "command": "sh", "args": ["-c", "exit 1"]}
    content["tools"].insert(1, {**down, "on_error": on_error})
    file.write_text(json.dumps(content), encoding="utf-8")
    listed = seatrial("tools", **ALLOWED)
    assert listed.returncode == code, listed.stderr
    assert "six  " in listed.stdout
    assert "the MCP server 'down' ended with exit status 1" in listed.stderr
    assert ("error: " in listed.stderr) == (on_error == "fail")
    called = seatrial("tools", "call", "two", "{}", **ALLOWED)
    assert (called.returncode, called.stdout[:4]) == (0, "two "), called.stderr


def test_a_call_of_the_agents_own_tool_starts_no_server(agent: Callable[[str], Path], seatrial: Run) -> None:
    file = agent("paged") / "agent.yaml"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["tools"][1] |= {"command": "sh", "args": ["-c", "touch started; exit 1"]}
    file.write_text(json.dumps(content), encoding="utf-8")
    assert seatrial("tools", "call", "one", **ALLOWED).stdout == "mine\n"
    assert not (file.parent / "started").exists()


def test_a_server_that_dies_in_a_call_is_exit_code_3(agent: Callable[[str], Path], seatrial: Run) -> None:
    file = agent("paged") / "agent.yaml"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["tools"][1]["args"] = [str(SERVERS / "breaks.py"), "dies"]
    file.write_text(json.dumps(content), encoding="utf-8")
    done = seatrial("tools", "call", "dies", "{}", **ALLOWED)
    assert "exit status 9" in done.stdout
    assert done.returncode == 3


def test_a_prompt_tool_whose_model_is_out_of_reach_is_exit_code_3(agent: Callable[[str], Path], seatrial: Run) -> None:
    file = agent("paged") / "agent.yaml"
    content = json.loads(file.read_text(encoding="utf-8"))
    (file.parent / "script.json").write_text('[{"error": "no way to the host"}]', encoding="utf-8")
    content["tools"] = [{"name": "ask", "type": "prompt", "description": "d", "template": "Say {{it}}."}]
    content["tools"][0]["parameters"] = {"it": {"type": "str"}}
    file.write_text(json.dumps(content), encoding="utf-8")
    done = seatrial("tools", "call", "ask", '{"it": "hello"}')
    assert done.returncode == 3, done.stdout + done.stderr


def test_nothing_is_started_that_nobody_allowed(agent: Callable[[str], Path], seatrial: Run) -> None:
    agent("paged")
    for words in (["tools"], ["tools", "call", "one"]):
        done = seatrial(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert "--allow-mcp" in done.stderr
