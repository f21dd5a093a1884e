"""From a path to a `LoadedAgent`. Writes nothing, and never raises for a mistake in the file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from seatrial.config.agent import AgentConfig
from seatrial.config.agent_path import agent_file, no_agent_file
from seatrial.config.case_files import add_case_files
from seatrial.config.constraints import constraint_findings, cut_long_lists, slips_in_mcp_config, unchecked_cases
from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.env_file import read_env_file, secrets_of_env_files
from seatrial.config.explain import explain
from seatrial.config.fields import LENIENT
from seatrial.config.holodeck import Dialect, adapt, carry_over_expected_tools
from seatrial.config.loaded import LoadedAgent, finish, in_order
from seatrial.config.located import Block, Listing, locate
from seatrial.config.model import expand_models
from seatrial.config.model_overrides import ModelOverrides, read_model_overrides
from seatrial.config.paths import from_folder, kind_of
from seatrial.config.prompt_text import PromptText, read_prompt
from seatrial.config.provider_defaults import apply_settings
from seatrial.config.references import References
from seatrial.config.secrets import secret_values, secrets_of_environment
from seatrial.config.settings import find_settings
from seatrial.config.trip import Trip
from seatrial.config.variants import complete_variants
from seatrial.config.yaml_reader import read_yaml

_LIMITS = {"ST402", "ST403", "ST404"}


def load_agent(
    path: Path | str,
    *,
    environ: Mapping[str, str] | None = None,
    stand_in: str | None = None,
    is_offline: bool = False,
) -> LoadedAgent:
    """The agent file at ``path``, or in that folder.

    Variables come from ``environ`` (None: the process environment), then from ``.env`` beside the file. ``stand_in``
    takes the place of keys and other secrets that are not set, where nobody is going to use them. ``is_offline``: no
    server, store or model is going to be reached, and variables in what says how to reach them may be unset.
    """
    trip = Trip(agent_file(Path(path)), os.environ if environ is None else environ)
    trip.stand_in, trip.is_offline = stand_in, is_offline
    return _Loading(trip).run()


class _Loading:
    """All steps, each going on with what the one before could make out."""

    def __init__(self, trip: Trip) -> None:
        self.path = trip.path
        self.process_environ = trip.environ
        self.trip = trip
        self.dialect = Dialect()
        self.model_overrides: ModelOverrides = {}

    def run(self) -> LoadedAgent:
        """The loaded agent."""
        data = self._read()
        if not isinstance(data, Block):
            return self._result(data, None, PromptText(""))
        for key in [key for key in data if key.startswith("x-")]:
            del data[key]
        self.trip.findings += cut_long_lists(data)
        self.dialect = adapt(data)
        self._read_env()
        self.trip.fill(data, self.trip.sources[self.path])
        expand_models(data)
        complete_variants(data)
        settings = find_settings(self.trip.folder, self.process_environ)
        apply_settings(data, settings, self.trip, self.dialect)
        self.model_overrides = read_model_overrides(settings, self.trip)
        own = data.get("test_cases")
        own_cases = len(own) if isinstance(own, Listing) else 0
        add_case_files(data, self.trip)
        self.trip.secrets |= secret_values(data) | secrets_of_env_files(data, self.trip.folder)
        config = self._validate(data)
        self._check(data, own_cases)
        return self._result(data, config, self._prompt(data))

    def _read(self) -> Any:
        if kind_of(self.path) == "missing" and not self.path.is_symlink():
            self.trip.findings.append(no_agent_file(self.path))
            return None
        source = self.trip.read(self.path)
        if source is None:
            return None
        document = read_yaml(source, reads_on=True)
        self.trip.findings += document.problems
        if document.data is None and not document.problems:
            hint = "it needs at least name, model and instructions"
            self.trip.error("ST108", f"{self.path.name} is empty", Place(self.path), hint)
        elif document.data is not None and not isinstance(document.data, Block):
            message = "an agent file holds keys (name, model, instructions, ...), not a list or a text"
            self.trip.error("ST108", message, Place(self.path, 1))
        return document.data

    def _read_env(self) -> None:
        variables, problems = read_env_file(self.trip.folder / ".env")
        self.trip.findings += problems
        self.trip.environ = {**variables, **self.process_environ}
        self.trip.secrets |= secrets_of_environment(self.trip.environ)

    def _validate(self, data: Block) -> AgentConfig | None:
        """Validates; in the other dialect limits that it does not set are exceeded with a warning."""
        if self.dialect.is_holodeck:
            carry_over_expected_tools(data, self.dialect)
        config, problems = _validated(data, self.path)
        if config is None and self.dialect.is_holodeck:
            problems = [_as_exceeded(problem) if problem.code in _LIMITS else problem for problem in problems]
            config, _ = _validated(data, self.path, context={LENIENT: True})
        self.trip.findings += problems
        return config

    def _check(self, data: Block, own_cases: int) -> None:
        findings = self.trip.findings
        findings += self.dialect.findings
        findings += References(data, self.path).findings()
        findings += constraint_findings(data, own_cases, Place(self.path, 1), is_lenient=self.dialect.is_holodeck)
        findings += unchecked_cases(data)
        findings += slips_in_mcp_config(data)

    def _prompt(self, data: Block) -> PromptText:
        block = data.get("instructions")
        inline = block.get("inline") if isinstance(block, Block) else block
        if isinstance(inline, str):
            return PromptText(str(inline))
        file = block.get("file") if isinstance(block, Block) else None
        path = from_folder(self.trip.folder, file) if isinstance(file, str) else None
        source = self.trip.read(path) if path is not None and kind_of(path) == "file" else None
        if source is None:
            return PromptText("")
        prompt = read_prompt(source)
        self.trip.findings += prompt.problems
        if not prompt.text.strip():
            place = locate(data, ("instructions", "file")) or Place(self.path, 1)
            self.trip.error("ST404", f"{file} is empty", place, "write the system prompt into it")
        return prompt

    def _result(self, data: Any, config: AgentConfig | None, prompt: PromptText) -> LoadedAgent:
        trip = self.trip
        secrets = frozenset(trip.secrets)
        findings = tuple(finish(finding, trip.sources, secrets) for finding in in_order(trip.findings, self.path))
        source = trip.sources.get(self.path)
        return LoadedAgent(
            path=self.path,
            folder=Path(os.path.normpath(Path.cwd() / self.path)).parent,
            config=None if any(finding.severity == "error" for finding in findings) else config,
            diagnostics=findings,
            raw=source.text if source else "",
            sha256=source.sha256 if source else "",
            secrets=secrets,
            instructions_text=prompt.text,
            instructions_metadata=prompt.metadata,
            environ=trip.environ,
            model_overrides=self.model_overrides,
            data=data,
            sources=trip.sources,
        )


def _validated(
    data: Block, path: Path, context: dict[str, bool] | None = None
) -> tuple[AgentConfig | None, list[Diagnostic]]:
    try:
        return AgentConfig.model_validate(data, context=context), []
    except ValidationError as error:
        return None, list(explain(error, data, path))


def _as_exceeded(problem: Diagnostic) -> Diagnostic:
    message = f"{problem.message} (HoloDeck sets no such limit)"
    return Diagnostic("warning", "ST503", message, problem.place, hint=problem.hint, key_path=problem.key_path)
