"""Programs of a stranger's agent file are shown before they are started."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seatrial.assembly.allowed import allow_programs, programs_to_allow, require_allowed
from seatrial.cli import allow_mcp
from seatrial.cli.allow_mcp import allow_servers
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


def changed(loaded: LoadedAgent, folder: Path | None = None, **keys: object) -> LoadedAgent:
    """The same file with other keys on its server."""
    content = json.loads(loaded.raw)
    content["tools"][0] |= keys
    path = (folder or loaded.folder) / "agent.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))
    return load_agent(path, environ={"KEY_OF_TODAY": "v0lcano-morning", "KEY_OF_TOMORROW": "v0lcano-evening"})


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


@pytest.mark.parametrize(
    "keys",
    [
        {"command": "sh"},
        {"args": ["--other"]},
        {"command": None, "args": [], "server": "uvx something"},
        {"env": {"LD_PRELOAD": "./mine.so"}},
        {"cwd": ".."},
    ],
)
def test_a_program_that_is_new_or_was_changed_is_asked_for_again(loaded: LoadedAgent, keys: dict[str, object]) -> None:
    allow_programs(loaded)
    assert not programs_to_allow(changed(loaded, description="other words"))
    assert programs_to_allow(changed(loaded, **keys))


def test_a_yes_holds_for_its_folder_only(loaded: LoadedAgent, tmp_path: Path) -> None:
    allow_programs(loaded)
    assert programs_to_allow(changed(loaded, tmp_path / "other"))
    assert programs_to_allow(changed(loaded, loaded.folder / "below"))


def test_a_key_from_elsewhere_may_change(loaded: LoadedAgent) -> None:
    allow_programs(changed(loaded, env={"API_KEY": "${KEY_OF_TODAY}"}))
    content = json.loads(loaded.raw)
    content["tools"][0]["env"] = {"API_KEY": "${KEY_OF_TODAY}"}
    (loaded.folder / "agent.yaml").write_text(json.dumps(content))
    tomorrow = load_agent(loaded.folder / "agent.yaml", environ={"KEY_OF_TODAY": "quite another one"})
    assert not programs_to_allow(tomorrow)


@pytest.mark.parametrize(("value", "is_allowed"), [("1", True), ("true", True), ("0", False), ("", False)])
def test_where_nobody_can_be_asked_the_environment_says_it(loaded: LoadedAgent, value: str, is_allowed: bool) -> None:
    environ = {"SEATRIAL_ALLOW_MCP": value}
    if is_allowed:
        require_allowed(loaded, environ)
        return
    with pytest.raises(ConfigError) as refused:
        require_allowed(loaded, environ)
    assert "SEATRIAL_ALLOW_MCP=1" in (refused.value.hint or "")


@pytest.mark.parametrize("environ", [{}, {"XDG_STATE_HOME": "a-file"}])
def test_where_nothing_can_be_remembered_nothing_is_allowed(
    loaded: LoadedAgent, environ: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a-file").write_text("a file")
    allow_programs(loaded, environ)
    assert programs_to_allow(loaded, environ)
