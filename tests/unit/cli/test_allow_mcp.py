"""Programs of a stranger's agent file are shown before they are started."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seatrial.cli import allow_mcp
from seatrial.cli.allow_mcp import allow_servers
from seatrial.cli.trusted import is_trusted, trust
from seatrial.config.loaded import LoadedAgent
from seatrial.config.loader import load_agent
from seatrial.errors import ConfigError


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LoadedAgent:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "project"
    folder.mkdir()
    tool = {"name": "files", "type": "mcp", "description": "d", "command": "run-me", "args": ["--key", "tr0ubador"]}
    content = {
        "name": "a",
        "model": {"provider": "local", "name": "seatrial-local"},
        "instructions": "Answer.",
        "tools": [tool | {"env": {"KEY": "tr0ubador"}}],
    }
    (folder / "agent.yaml").write_text(json.dumps(content))
    return load_agent(folder / "agent.yaml", environ={})


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, answer: bool) -> list[str]:
    asked: list[str] = []

    def confirm(question: str, **_: object) -> bool:
        asked.append(question)
        return answer

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(allow_mcp.click, "confirm", confirm)
    return asked


def test_nothing_is_started_unasked_and_what_would_be_is_shown_without_secrets(loaded: LoadedAgent) -> None:
    with pytest.raises(ConfigError) as refused:
        allow_servers(loaded, is_allowed=False)
    assert "files: run-me --key [secret]" in refused.value.message
    assert "--allow-mcp" in (refused.value.hint or "")


def test_the_option_allows_it_for_once(loaded: LoadedAgent) -> None:
    allow_servers(loaded, is_allowed=True)
    with pytest.raises(ConfigError):
        allow_servers(loaded, is_allowed=False)


def test_a_yes_is_kept(loaded: LoadedAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = at_a_terminal(monkeypatch, answer=True)
    allow_servers(loaded, is_allowed=False)
    allow_servers(loaded, is_allowed=False)
    assert len(asked) == 1


def test_a_no_is_not(loaded: LoadedAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    at_a_terminal(monkeypatch, answer=False)
    with pytest.raises(ConfigError):
        allow_servers(loaded, is_allowed=False)


def test_folders_inside_of_a_trusted_one_are_trusted_and_others_are_not(tmp_path: Path) -> None:
    environ = {"XDG_STATE_HOME": str(tmp_path / "state")}
    trust(tmp_path / "mine", environ)
    assert is_trusted(tmp_path / "mine" / "agents" / "one", environ)
    assert not is_trusted(tmp_path / "mine-not", environ)
    assert not is_trusted(tmp_path, environ)
    assert not is_trusted(tmp_path / "mine", {})


def test_where_nothing_can_be_remembered_nothing_is_trusted(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    environ = {"XDG_STATE_HOME": str(tmp_path / "state")}
    trust(tmp_path, environ)
    assert not is_trusted(tmp_path, environ)
