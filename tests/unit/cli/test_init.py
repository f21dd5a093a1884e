"""What `seatrial init` writes, asks and refuses."""

from __future__ import annotations

import errno
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from seatrial.cli import main as cli_main
from seatrial.cli import starter
from seatrial.cli.init import command
from seatrial.cli.starter import TEMPLATES, name_for, project_files, write_project
from seatrial.cli.starter_model import LOCAL_NAME, StarterModel, providers_to_choose
from seatrial.config.agent import AgentConfig
from seatrial.config.loader import load_agent
from seatrial.errors import ConfigError

FLAGS = {
    "local": [],
    "openai": ["--provider", "openai", "--model", "gpt-5"],
    "azure_openai": ["--provider", "azure_openai", "--model", "gpt-5"],
    "anthropic": ["--provider", "anthropic", "--model", "claude-sonnet-4-5"],
    "ollama": ["--provider", "ollama", "--model", "llama3.1:8b"],
    "openai_compatible": ["--provider", "openai_compatible", "--model", "my-model"],
}
VALUES = {
    "OPENAI_API_KEY": "k",
    "ANTHROPIC_API_KEY": "k",
    "AZURE_OPENAI_API_KEY": "k",
    "AZURE_OPENAI_ENDPOINT": "https://mine.openai.azure.com",
    "MODEL_API_KEY": "k",
}


def init(*arguments: str) -> Result:
    return CliRunner().invoke(command, list(arguments))


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def agent_in(folder: Path) -> AgentConfig:
    loaded = load_agent(folder, environ=VALUES)
    assert [finding.as_text() for finding in loaded.diagnostics] == []
    return loaded.require()


@pytest.mark.parametrize("template", TEMPLATES)
@pytest.mark.parametrize("provider", providers_to_choose())
def test_every_template_with_every_provider_loads_without_a_finding(
    tmp_path: Path, template: str, provider: str
) -> None:
    result = init(str(tmp_path / "new"), "--template", template, *FLAGS[provider])
    assert result.exit_code == 0, result.output
    agent = agent_in(tmp_path / "new")
    assert agent.model.provider == provider
    assert len(agent.test_cases) >= 3
    assert {"agent.yaml", "instructions.md", "tools.py", "README.md", ".gitignore", "data"} <= names_in(
        tmp_path / "new"
    )


@pytest.mark.parametrize("template", TEMPLATES)
def test_no_mark_of_the_template_is_left(tmp_path: Path, template: str) -> None:
    init(str(tmp_path / "new"), "--template", template)
    for file in (tmp_path / "new").rglob("*"):
        if file.is_file():
            assert not re.search(r"__[A-Z]+__", file.read_text(encoding="utf-8")), file


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_examples_of_tools_are_no_test_cases(tmp_path: Path, template: str) -> None:
    init(str(tmp_path), "--template", template)
    agent = agent_in(tmp_path)
    words = {case.input: set(re.findall(r"\w+", case.input.lower())) for case in agent.test_cases if case.input}
    for tool in agent.tools:
        for example in tool.examples:
            said = set(re.findall(r"\w+", example.lower()))
            for text, asked in words.items():
                assert len(said & asked) / len(said | asked) < 0.6, (example, text)


def test_the_agent_is_named_after_its_folder(tmp_path: Path) -> None:
    init(str(tmp_path / "3 blind mice"))
    assert agent_in(tmp_path / "3 blind mice").name == "agent-3-blind-mice"


@pytest.mark.parametrize(
    ("folder", "name"),
    [("shop", "shop"), ("my_shop.v2", "my-shop-v2"), ("2024", "agent-2024"), ("Café Ünï", "Cafe-Uni"), ("--", "agent")],
)
def test_a_folders_name_becomes_a_valid_agent_name(tmp_path: Path, folder: str, name: str) -> None:
    assert name_for(tmp_path / folder) == name


def test_a_name_can_be_given(tmp_path: Path) -> None:
    init(str(tmp_path), "--name", "Harbour-1")
    assert agent_in(tmp_path).name == "Harbour-1"


def test_a_name_that_no_agent_may_have_is_refused(tmp_path: Path) -> None:
    result = init(str(tmp_path / "new"), "--name", "1st agent")
    assert result.exit_code == 2
    assert "begin with a letter" in result.output
    assert not (tmp_path / "new").exists()


def test_files_that_are_there_are_all_named_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text("mine")
    (tmp_path / "tools.py").write_text("mine")
    result = init(str(tmp_path))
    assert isinstance(result.exception, ConfigError)
    assert "agent.yaml" in result.exception.message
    assert "tools.py" in result.exception.message
    assert "--force" in (result.exception.hint or "")
    assert names_in(tmp_path) == {"agent.yaml", "tools.py"}
    assert (tmp_path / "agent.yaml").read_text() == "mine"


def test_force_overwrites_and_leaves_other_files_alone(tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").write_text("mine")
    (tmp_path / "notes.txt").write_text("mine")
    assert init(str(tmp_path), "--force").exit_code == 0
    assert agent_in(tmp_path).test_cases
    assert (tmp_path / "notes.txt").read_text() == "mine"
    assert not list(tmp_path.glob(".seatrial-init*"))


@pytest.mark.parametrize("in_the_way", ["data", "new"])
def test_a_file_where_a_folder_must_be_is_named(tmp_path: Path, in_the_way: str) -> None:
    folder = tmp_path / "new"
    if in_the_way == "data":
        folder.mkdir()
        (folder / "data").write_text("mine")
    else:
        folder.write_text("mine")
    result = init(str(folder), "--force")
    assert isinstance(result.exception, ConfigError)
    assert in_the_way in result.exception.message


def test_a_folder_where_a_file_must_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "agent.yaml").mkdir()
    result = init(str(tmp_path), "--force")
    assert isinstance(result.exception, ConfigError)
    assert "agent.yaml" in result.exception.message


def failing_at(name: str) -> Callable[[Path, Path], Path]:
    real = Path.replace

    def replace(path: Path, target: Path) -> Path:
        if path.name == name and "new" in path.parts[-2:]:
            raise OSError(errno.ENOSPC, "No space left on device", str(target))
        return real(path, target)

    return replace


def test_a_failure_half_way_leaves_the_folder_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "agent.yaml").write_text("mine")
    monkeypatch.setattr(starter.Path, "replace", failing_at("tools.py"))
    contents = project_files("minimal", "x", StarterModel("local", LOCAL_NAME))
    with pytest.raises(ConfigError, match=r"nothing was written.*No space left"):
        write_project(tmp_path, contents, force=True)
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} == {"agent.yaml"}
    assert (tmp_path / "agent.yaml").read_text() == "mine"


def test_a_failure_in_a_new_folder_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starter.Path, "replace", failing_at("tools.py"))
    contents = project_files("minimal", "x", StarterModel("local", LOCAL_NAME))
    with pytest.raises(ConfigError):
        write_project(tmp_path / "a" / "b", contents, force=False)
    assert names_in(tmp_path) == set()


def test_a_model_at_a_vendors_endpoint_gets_the_vendors_variable(tmp_path: Path) -> None:
    result = init(str(tmp_path), "--endpoint", "https://api.openai.com/v1", "--model", "gpt-5")
    assert "export OPENAI_API_KEY=" in result.output
    assert "api_key: ${OPENAI_API_KEY}" in (tmp_path / "agent.yaml").read_text()
    assert agent_in(tmp_path).model.endpoint == "https://api.openai.com/v1"


def test_a_server_on_this_machine_needs_no_key(tmp_path: Path) -> None:
    result = init(str(tmp_path), "--provider", "openai_compatible", "--model", "qwen3")
    assert "export" not in result.output
    assert "api_key" not in (tmp_path / "agent.yaml").read_text()


def test_an_unset_key_is_named_by_the_loader(tmp_path: Path) -> None:
    init(str(tmp_path), "--endpoint", "https://llm.example.com/v1", "--model", "m")
    findings = load_agent(tmp_path, environ={}).diagnostics
    assert any("MODEL_API_KEY" in finding.as_text() for finding in findings)


@pytest.mark.parametrize("name", ["a: b", "has #mark", "tail:", 'quo"te', "ft:gpt-4o:org::id", "123", "yes"])
def test_any_model_name_survives_the_trip_through_yaml(tmp_path: Path, name: str) -> None:
    init(str(tmp_path), "--provider", "openai_compatible", "--model", name)
    assert agent_in(tmp_path).model.name == name


def test_provider_and_model_can_be_said_in_one(tmp_path: Path) -> None:
    init(str(tmp_path), "--model", "openai_compatible:llama3.1:8b")
    model = agent_in(tmp_path).model
    assert (model.provider, model.name) == ("openai_compatible", "llama3.1:8b")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--provider", "nobody"], "there is no provider 'nobody'"),
        (["--model", "gpt-5"], "--model gpt-5 needs --provider"),
        (["--provider", "openai_compatible"], "needs --model NAME"),
        (["--provider", "local", "--endpoint", "http://x"], "no --endpoint"),
        (["--endpoint", "localhost:8000"], "must begin with http"),
        (["--template", "enormous"], "minimal"),
    ],
)
def test_a_wrong_option_is_told_and_nothing_is_written(tmp_path: Path, arguments: list[str], said: str) -> None:
    result = init(str(tmp_path / "new"), *arguments)
    assert result.exit_code == 2
    assert said in result.output
    assert not (tmp_path / "new").exists()


def test_the_next_steps_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "  cd 'my shop'\n" in init("my shop").output
    assert "  cd " not in init("--name", "here").output


def in_a_terminal(folder: Path, keys: str, *arguments: str) -> tuple[int, str]:
    """Runs the command with its input and error output on a terminal."""
    ours, theirs = pty.openpty()
    os.write(ours, keys.encode())
    code = f"from seatrial.cli.main import main; main({['init', str(folder), *arguments]!r})"
    process = subprocess.run(
        [sys.executable, "-c", code], stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, timeout=60, check=False
    )
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    return process.returncode, shown


def test_in_a_terminal_it_asks_for_what_was_not_said(tmp_path: Path) -> None:
    code, shown = in_a_terminal(tmp_path, "research\nopenai_compatible\nqwen3\n\n")
    assert code == 0
    assert "template" in shown
    agent = agent_in(tmp_path)
    assert agent.tools[0].name == "notes"
    assert (agent.model.name, agent.model.endpoint) == ("qwen3", "http://localhost:8000/v1")


def test_enter_takes_what_is_offered(tmp_path: Path) -> None:
    code, _ = in_a_terminal(tmp_path, "\n\n")
    assert code == 0
    assert agent_in(tmp_path).model.provider == "local"


def test_yes_asks_nothing_in_a_terminal(tmp_path: Path) -> None:
    code, shown = in_a_terminal(tmp_path, "research\n", "--yes")
    assert code == 0
    assert "template" not in shown.replace("research", "")
    assert [tool.name for tool in agent_in(tmp_path).tools] == ["opening_hours"]


def test_leaving_at_a_question_writes_nothing(tmp_path: Path) -> None:
    end_of_input = "\x04"
    code, _ = in_a_terminal(tmp_path / "new", end_of_input)
    assert code == 130
    assert not (tmp_path / "new").exists()


def test_the_command_stands_in_the_table() -> None:
    assert cli_main.COMMANDS["init"].module == command.callback.__module__ if command.callback else False
