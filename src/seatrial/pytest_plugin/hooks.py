"""What pytest calls: two options, and the agent files among what it collects."""

from __future__ import annotations

import os
import shlex
from importlib import import_module
from pathlib import Path

import pytest

REPLAY = "seatrial_replay"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("seatrial", "test cases of LLM agents")
    group.addoption(
        "--seatrial",
        action="append",
        default=[],
        metavar="AGENT",
        dest="seatrial",
        help="Collect the test cases of this agent file (or its folder); may be given several times.",
    )
    group.addoption(
        "--seatrial-replay",
        metavar="DIR",
        dest=REPLAY,
        help="Answer models and tools from the recording in DIR (made by `seatrial test --record DIR`).",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Makes agent files something to collect, when there are any."""
    agents = [_agent_file(config.invocation_params.dir / name) for name in config.getoption("seatrial")]
    if not agents:
        if config.getoption(REPLAY):
            raise pytest.UsageError("--seatrial-replay needs --seatrial AGENT, the agent whose cases are replayed")
        return
    missing = [str(path) for path in agents if not path.is_file()]
    if missing:
        raise pytest.UsageError(f"--seatrial: there is no agent file {', '.join(missing)}")
    recording = config.getoption(REPLAY)
    if recording is not None and not (config.invocation_params.dir / recording).is_dir():
        hint = f"`seatrial test --record {shlex.quote(recording)}` makes one"
        raise pytest.UsageError(f"--seatrial-replay: there is no recording at {recording}: {hint}")
    config.pluginmanager.register(_Collecting(agents), "seatrial-agents")
    named = [str(path) for path in agents]
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        config.args[:] = []  # nothing was named but agents: then nothing else is meant
    config.args += [name for name in named if name not in config.args]


class _Collecting:
    """Collects the agent files that the command line names."""

    def __init__(self, agents: list[Path]) -> None:
        self._agents = set(agents)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        """The collector of an agent file; of any other file nothing."""
        if file_path not in self._agents:
            return None
        file = import_module("seatrial.pytest_plugin.items").AgentFile
        collector: pytest.Collector = file.from_parent(
            parent, path=file_path, nodeid=_node_id(file_path, parent.config)
        )
        return collector


def _node_id(path: Path, config: pytest.Config) -> str:
    """The file's name for people: its path from pytest's root folder, or from here where it is outside of that."""
    base = config.rootpath if path.is_relative_to(config.rootpath) else config.invocation_params.dir
    return Path(os.path.relpath(path, base)).as_posix()


def _agent_file(path: Path) -> Path:
    """The agent file itself, or the one in a folder."""
    path = path.absolute()
    if path.is_dir():
        names = [path / name for name in ("agent.yaml", "agent.yml")]
        path = next((name for name in names if name.is_file()), names[0])
    return path.resolve()
