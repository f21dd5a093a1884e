"""Defaults of providers and named vector stores, from files beside and above the agent file.

Nearer files win: the agent file, then ``seatrial.yaml`` of the project, ``config.yaml`` beside the agent file, and the
user's own ``config.yaml``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from seatrial.config.diagnostics import Diagnostic
from seatrial.config.holodeck import Dialect, carry_over_databases
from seatrial.config.located import Block, Listing, value_at
from seatrial.config.source import Source, read_source
from seatrial.config.trip import Trip
from seatrial.config.yaml_reader import read_yaml
from seatrial.errors import ConfigError

PROJECT_FILE = "seatrial.yaml"
SIBLING_FILES = ("config.yaml", "config.yml")


@dataclass
class Settings:
    """What one file says: blocks by name, as they stand in it."""

    providers: dict[str, Block] = field(default_factory=dict)
    stores: dict[str, Block] = field(default_factory=dict)
    source: Source | None = None
    problems: list[Diagnostic] = field(default_factory=list)


def read_settings(path: Path) -> Settings:
    """The settings in a file; problems of a file that may belong to somebody else are warnings."""
    try:
        source = read_source(path)
    except ConfigError as error:
        return Settings(problems=[_as_warning(finding) for finding in error.diagnostics])
    document = read_yaml(source)
    found = Settings(source=source, problems=[_as_warning(finding) for finding in document.problems])
    if isinstance(document.data, Block):
        found.providers = _blocks(document.data.get("providers"))
        found.stores = _blocks(document.data.get("vectorstores"))
    return found


def settings_files(folder: Path, environ: Mapping[str, str]) -> list[Path]:
    """The files that hold for an agent in ``folder``, nearest first."""
    project = next((path for path in _project_files(folder.absolute()) if path.is_file()), None)
    candidates = [project, *(folder / name for name in SIBLING_FILES), *_user_files(environ)]
    return [path for path in candidates if path is not None and path.is_file()]


def apply_settings(data: Block, paths: Iterable[Path], trip: Trip, dialect: Dialect) -> None:
    """Fills what the agent file leaves open of models and vector stores. Only what is used is looked at."""
    found = [read_settings(path) for path in paths]
    models = [
        model for model in (data.get("model"), value_at(data, ("evaluations", "model"))) if isinstance(model, Block)
    ]
    used = {str(model.get("provider")) for model in models}
    for settings in found:
        trip.findings += settings.problems
        if settings.source is not None:
            trip.sources[settings.source.path] = settings.source
        for name, block in settings.providers.items():
            if name in used or str(block.get("provider")) in used:
                trip.fill(block, settings.source)
        for name in _stores_used(data) & settings.stores.keys():
            trip.fill(settings.stores[name], settings.source)
    for model in models:
        merge_provider(model, [settings.providers for settings in found])
    stores = {name: block for settings in reversed(found) for name, block in settings.stores.items()}
    carry_over_databases(data, stores, dialect)


def _stores_used(data: Block) -> set[str]:
    tools = data.get("tools")
    blocks = [tool for tool in tools if isinstance(tool, Block)] if isinstance(tools, Listing) else []
    return {tool["database"] for tool in blocks if isinstance(tool.get("database"), str)}


def _user_files(environ: Mapping[str, str]) -> Iterator[Path]:
    if environ.get("XDG_CONFIG_HOME"):
        yield Path(environ["XDG_CONFIG_HOME"]) / "seatrial" / "config.yaml"
    elif environ.get("HOME"):
        yield Path(environ["HOME"]) / ".config" / "seatrial" / "config.yaml"


def _project_files(folder: Path) -> Iterator[Path]:
    """Up to the folder that is under version control, and no further."""
    for parent in (folder, *folder.parents):
        yield parent / PROJECT_FILE
        if (parent / ".git").exists():
            return


def merge_provider(model: Block, providers: Iterable[Mapping[str, Block]]) -> None:
    """Puts a provider's defaults where the model block says nothing; the nearest file wins."""
    name = model.get("provider")
    if not isinstance(name, str):
        return
    for known in providers:
        defaults = known.get(name) or next((block for block in known.values() if block.get("provider") == name), None)
        if defaults is None:
            continue
        for key, value in defaults.items():
            if value is not None and model.get(key) is None:
                model.take_over(key, defaults)


def _blocks(value: object) -> dict[str, Block]:
    if not isinstance(value, Block):
        return {}
    return {key: item for key, item in value.items() if isinstance(item, Block)}


def _as_warning(finding: Diagnostic) -> Diagnostic:
    return Diagnostic("warning", finding.code, finding.message, finding.place, finding.hint)
