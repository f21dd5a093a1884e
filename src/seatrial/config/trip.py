"""What one loading gathers on its way: findings, the text of each file read, secrets, variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from seatrial.config.diagnostics import Diagnostic, Place
from seatrial.config.located import Block, Listing
from seatrial.config.source import Source, read_source
from seatrial.config.variables import Filler
from seatrial.errors import ConfigError


@dataclass
class Trip:
    """The way from ``path``, the agent file, to a loaded agent. ``environ`` is where ``${NAME}`` is looked up.

    ``stand_in`` takes the place of secret variables that are not set; None: those are errors. ``is_offline``: what
    only reaches something outside is not going to be used.
    """

    path: Path
    environ: Mapping[str, str]
    findings: list[Diagnostic] = field(default_factory=list)
    sources: dict[Path, Source] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)
    stand_in: str | None = None
    is_offline: bool = False
    _filled: dict[int, object] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Where relative paths begin; itself as the user named it."""
        return self.path.parent

    def read(self, path: Path) -> Source | None:
        """A file's text; None and a finding when it cannot be had."""
        try:
            source = read_source(path)
        except ConfigError as error:
            self.findings += error.diagnostics
            return None
        self.sources[path] = source
        return source

    def fill(self, data: Block | Listing, source: Source | None) -> None:
        """Puts variables into located data, in place and once."""
        filler = Filler(self.environ, source, self._filled, stand_in=self.stand_in, is_offline=self.is_offline)
        filler.fill(data)
        self.findings += filler.problems
        self.secrets |= filler.secrets

    def error(self, code: str, message: str, place: Place, hint: str | None = None) -> None:
        """Notes an error."""
        self.findings.append(Diagnostic("error", code, message, place, hint=hint))
