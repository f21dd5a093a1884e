"""From a path to a `LoadedAgent`. Writes nothing, and never raises for a mistake in the file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from seatrial.config.agent import AgentConfig
from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.env import Filler, read_env_file
from seatrial.config.explain import explain
from seatrial.config.loaded import LoadedAgent, finish, in_order
from seatrial.config.located import Block
from seatrial.config.secrets import secret_values
from seatrial.config.source import Source, read_source
from seatrial.config.yaml_reader import read_yaml
from seatrial.errors import ConfigError

_FILE_NAMES = ("agent.yaml", "agent.yml")


def load_agent(path: Path | str, *, environ: Mapping[str, str] | None = None) -> LoadedAgent:
    """The agent file at ``path``, or in that folder.

    Variables come from ``environ`` (None: the process environment), then from ``.env`` beside the file.
    """
    return _Loading(agent_file(Path(path)), os.environ if environ is None else environ).run()


def agent_file(path: Path) -> Path:
    """The agent file that a path names: itself, or the one in the folder."""
    if path.is_dir():
        return next((path / name for name in _FILE_NAMES if (path / name).exists()), path / _FILE_NAMES[0])
    return path


class _Loading:
    """One trip from a path to a loaded agent."""

    def __init__(self, path: Path, environ: Mapping[str, str]) -> None:
        self.path = path
        self.folder = Path.cwd().joinpath(path).parent
        self.environ = environ
        self.findings: list[Diagnostic] = []
        self.sources: dict[Path, Source] = {}
        self.secrets: set[str] = set()

    def run(self) -> LoadedAgent:
        data = self._read()
        config = self._validate(data) if isinstance(data, Block) else None
        return self._result(data, config)

    def _read(self) -> Any:
        try:
            source = read_source(self.path)
        except ConfigError as error:
            self.findings += error.diagnostics
            return None
        self.sources[self.path] = source
        document = read_yaml(source)
        self.findings += document.problems
        if document.data is None and not document.problems:
            hint = "it needs at least name, model and instructions"
            self.findings.append(
                Diagnostic("error", "ST108", f"{self.path.name} is empty", Place(self.path), hint=hint)
            )
        elif document.data is not None and not isinstance(document.data, Block):
            message = "an agent file holds keys (name, model, instructions, ...), not a list or a text"
            self.findings.append(Diagnostic("error", "ST108", message, Place(self.path, 1)))
        if isinstance(document.data, Block):
            self._fill(document.data)
        return document.data

    def _fill(self, data: Block) -> None:
        for key in [key for key in data if key.startswith("x-")]:
            del data[key]
        variables, problems = read_env_file(self.path.parent / ".env")
        self.findings += problems
        filler = Filler({**variables, **self.environ})
        filler.fill(data)
        self.findings += filler.problems
        self.secrets |= filler.secrets | secret_values(data)

    def _validate(self, data: Block) -> AgentConfig | None:
        try:
            return AgentConfig.model_validate(data)
        except ValidationError as error:
            self.findings += explain(error, data, self.path)
            return None

    def _result(self, data: Any, config: AgentConfig | None) -> LoadedAgent:
        findings = [finish(finding, self.sources, self.secrets) for finding in in_order(self.findings, self.path)]
        has_errors = any(finding.severity == "error" for finding in findings)
        source = self.sources.get(self.path)
        return LoadedAgent(
            path=self.path,
            folder=self.folder,
            config=None if has_errors else config,
            diagnostics=tuple(findings),
            raw=source.text if source else "",
            sha256=source.sha256 if source else "",
            secrets=frozenset(self.secrets),
            data=data,
            sources=self.sources,
        )
