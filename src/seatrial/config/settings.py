"""Settings outside the agent file: where they are, and the blocks that they hold.

``config.yaml`` beside the agent file counts as a part of it; then comes the environment, then the project's
``seatrial.yaml``, then the user's own ``config.yaml``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from seatrial.config.diagnostics import Diagnostic
from seatrial.config.located import Block
from seatrial.config.source import Source, read_source
from seatrial.config.yaml_reader import read_yaml
from seatrial.errors import ConfigError

PROJECT_FILE = "seatrial.yaml"
SIBLING_FILES = ("config.yaml", "config.yml")


@dataclass
class Settings:
    """What one file says: blocks by name, as they stand in it. ``is_behind_environment``: variables win over it.

    ``is_users``: the file is the user's own, and not of the project.
    """

    is_behind_environment: bool = False
    is_users: bool = False
    providers: dict[str, Block] = field(default_factory=dict)
    stores: dict[str, Block] = field(default_factory=dict)
    models: Block | None = None
    source: Source | None = None
    problems: list[Diagnostic] = field(default_factory=list)

    def of_provider(self, name: str) -> Block | None:
        """The block of that name, else the first whose ``provider`` it is."""
        named = (block for block in self.providers.values() if block.get("provider") == name)
        return self.providers.get(name) or next(named, None)


def find_settings(folder: Path, environ: Mapping[str, str]) -> list[Settings]:
    """What holds for an agent in ``folder``, nearest first."""
    siblings = [folder / name for name in SIBLING_FILES]
    project = next((path for path in _project_files(folder.absolute()) if path.is_file()), None)
    found = [_read(path, is_behind_environment=False) for path in siblings if path.is_file()]
    if project is not None:
        found.append(_read(project, is_behind_environment=True))
    users = [path for path in _user_files(environ) if path.is_file()]
    return found + [_read(path, is_behind_environment=True, is_users=True) for path in users]


def _read(path: Path, *, is_behind_environment: bool, is_users: bool = False) -> Settings:
    """The settings in a file; problems of a file that may belong to somebody else are warnings."""
    try:
        source = read_source(path)
    except ConfigError as error:
        return Settings(problems=[_as_warning(finding) for finding in error.diagnostics])
    document = read_yaml(source)
    problems = [_as_warning(finding) for finding in document.problems]
    data = document.data if isinstance(document.data, Block) else Block(path, 1)
    providers, stores = _blocks(data.get("providers")), _blocks(data.get("vectorstores"))
    models = data.get("models")
    if models is not None and not isinstance(models, Block):
        hint = "write provider, then model name, then its keys"
        place = data.place_of_key("models")
        problems.append(Diagnostic("warning", "ST105", "`models` must be a block of keys", place, hint=hint))
    return Settings(
        is_behind_environment,
        is_users,
        providers,
        stores,
        models if isinstance(models, Block) else None,
        source,
        problems,
    )


def _project_files(folder: Path) -> Iterator[Path]:
    """Up to the folder that is under version control, and no further."""
    for parent in (folder, *folder.parents):
        yield parent / PROJECT_FILE
        if (parent / ".git").exists():
            return


def _user_files(environ: Mapping[str, str]) -> Iterator[Path]:
    if environ.get("XDG_CONFIG_HOME"):
        yield Path(environ["XDG_CONFIG_HOME"]) / "seatrial" / "config.yaml"
    elif environ.get("HOME"):
        yield Path(environ["HOME"]) / ".config" / "seatrial" / "config.yaml"


def _blocks(value: object) -> dict[str, Block]:
    if not isinstance(value, Block):
        return {}
    return {key: item for key, item in value.items() if isinstance(item, Block)}


def _as_warning(finding: Diagnostic) -> Diagnostic:
    return Diagnostic("warning", finding.code, finding.message, finding.place, finding.hint)
