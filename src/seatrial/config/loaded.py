"""What loading an agent file gives: the configuration, the findings, and the way from a key to its line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from seatrial.config.agent import AgentConfig
from seatrial.config.diagnostics import Diagnostic, Place, Severity
from seatrial.config.located import locate
from seatrial.config.paths import from_folder
from seatrial.config.secrets import mask, masked
from seatrial.config.source import Source
from seatrial.errors import ConfigError


@dataclass(frozen=True)
class LoadedAgent:
    """An agent file as read. ``config`` is None when it has errors.

    ``path`` is as the user named it, ``folder`` absolute; ``data`` the file's content with places, ``raw`` its text;
    ``secrets`` are values that nothing shown or written may hold; ``instructions_text`` is the system prompt,
    ``instructions_metadata`` its frontmatter; ``environ`` is the environment with ``.env`` behind it;
    ``model_overrides`` is what the settings say of models, by provider and name.
    """

    path: Path
    folder: Path
    config: AgentConfig | None = field(repr=False, default=None)
    diagnostics: tuple[Diagnostic, ...] = ()
    raw: str = field(repr=False, default="")
    sha256: str = ""
    secrets: frozenset[str] = field(repr=False, default=frozenset())
    instructions_text: str = field(repr=False, default="")
    instructions_metadata: dict[str, Any] = field(repr=False, default_factory=dict)
    environ: Mapping[str, str] = field(repr=False, compare=False, default_factory=dict)
    model_overrides: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(repr=False, default_factory=dict)
    data: Any = field(repr=False, compare=False, default=None)
    sources: dict[Path, Source] = field(repr=False, compare=False, default_factory=dict)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The findings that keep the file from being used."""
        return tuple(finding for finding in self.diagnostics if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The findings that do not."""
        return tuple(finding for finding in self.diagnostics if finding.severity == "warning")

    def require(self) -> AgentConfig:
        """The configuration; raises `ConfigError` with all findings when there is none."""
        self.require_file()
        if self.config is None or self.errors:
            number = len(self.errors)
            message = f"{self.path} has {number} error{'' if number == 1 else 's'}"
            raise ConfigError(message, diagnostics=self.diagnostics)
        return self.config

    def require_file(self) -> None:
        """Raises `ConfigError` when there is no file at all to find anything in."""
        if not self.raw and len(self.diagnostics) == 1 and self.diagnostics[0].place == Place(self.path):
            finding = self.diagnostics[0]
            raise ConfigError(finding.message, hint=finding.hint)

    def place_of(self, key_path: Iterable[str | int], *, of_key: bool = False) -> Place:
        """Where a value stands (or its key); for what is not in the file, the nearest block around it."""
        return locate(self.data, key_path, of_key=of_key) or Place(self.path, 1)

    def diagnose(
        self, code: str, key_path: Iterable[str | int], message: str, *, hint: str | None = None
    ) -> Diagnostic:
        """A finding at a key path: an error, or a warning for codes of ST5xx."""
        path = tuple(key_path)
        severity: Severity = "warning" if code.startswith("ST5") else "error"
        finding = Diagnostic(severity, code, message, self.place_of(path), hint=hint, key_path=path)
        return self.finished(finding)

    def finished(self, finding: Diagnostic) -> Diagnostic:
        """The finding with its line of the file, secrets masked."""
        return finish(finding, self.sources, self.secrets)

    def path_to(self, relative: str) -> Path:
        """The absolute path of a file that the agent file names."""
        return Path(os.path.normpath(from_folder(self.folder, relative)))

    def public_config(self) -> dict[str, Any]:
        """The configuration as plain data for showing and storing, secrets masked."""
        plain: dict[str, Any] = masked(self.require().model_dump(mode="json"), self.secrets)
        return plain


def finish(finding: Diagnostic, sources: Mapping[Path, Source], secrets: frozenset[str]) -> Diagnostic:
    """The finding with the offending line, secrets masked in everything it says."""
    source = sources.get(finding.place.file)
    line = source.line(finding.place.line) if source is not None else None
    shown = source.shown_line(finding.place.line) if source is not None else None
    if line is not None and shown is not None:
        finding = finding.with_line(line, mask(shown, secrets))
    return replace(
        finding,
        message=mask(finding.message, secrets),
        hint=mask(finding.hint, secrets) if finding.hint else finding.hint,
    )


def in_order(findings: Iterable[Diagnostic], main: Path) -> tuple[Diagnostic, ...]:
    """Types, exclusion, references, constraints, warnings; the agent file before others; by line; each once."""

    def rank(finding: Diagnostic) -> tuple[bool, str, bool, Path, int, int, str]:
        place = finding.place
        is_other = place.file != main
        return (
            finding.severity == "warning",
            finding.code[:3],
            is_other,
            place.file,
            place.line,
            place.column,
            finding.code,
        )

    return tuple(sorted(dict.fromkeys(findings), key=rank))
