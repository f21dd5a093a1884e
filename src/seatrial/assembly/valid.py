"""An agent file that can be run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from seatrial.assembly.check import check
from seatrial.config.diagnostics import Diagnostic
from seatrial.config.loaded import LoadedAgent, in_order
from seatrial.config.loader import load_agent
from seatrial.errors import ConfigError


def load_valid(
    path: Path, *, environ: Mapping[str, str] | None = None, stand_in: str | None = None, is_offline: bool = False
) -> tuple[LoadedAgent, tuple[Diagnostic, ...]]:
    """The agent file at ``path`` and its warnings. Raises `ConfigError` with all findings when one is an error.

    ``stand_in`` takes the place of keys that are not set, where nobody is going to use them. ``is_offline``:
    nothing outside is going to be reached, and what only says how may lack its variables.
    """
    loaded = load_agent(path, environ=environ, stand_in=stand_in, is_offline=is_offline)
    loaded.require_file()
    findings = in_order((*loaded.diagnostics, *check(loaded, is_replay=stand_in is not None)), loaded.path)
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        number = f"{len(errors)} error{'' if len(errors) == 1 else 's'}"
        raise ConfigError(f"{loaded.path} has {number}", diagnostics=findings)
    return loaded, findings
