"""A new project: its files from a template, and how they are written, all or none."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from unicodedata import normalize

from seatrial.cli.starter_model import LOCAL, StarterModel
from seatrial.errors import ConfigError

TEMPLATES = {
    "minimal": "one function tool",
    "support": "a help desk: a tool for orders, search in an FAQ",
    "research": "answers from a folder of notes, and a tool for numbers",
}
PROJECT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,99}")
_LONGEST_NAME = 100
_ENGINE = """\
The model is `provider: local`: an offline extractive engine that needs no key and no network. It is not a language
model. It picks a tool by meaning, fills its arguments with words of the question, and answers with what the tool gave;
it does not read `instructions.md`, and other questions than those in the test cases may well miss. Put a language model
under `model:` in `agent.yaml` to see what the agent can really do."""


def project_files(template: str, name: str, model: StarterModel) -> dict[str, str]:
    """The text of each file by its path below the project's folder."""
    root = files("seatrial.cli").joinpath("templates")
    found = dict(sorted([*_walk(root.joinpath("common")), *_walk(root.joinpath(template))]))
    said = {"__NAME__": name, "__MODEL__": model.block, "__ENGINE__": _engine(model)}
    return {path: _filled(text, said) for path, text in found.items()}


def name_for(folder: Path) -> str:
    """A valid agent name that is close to the folder's."""
    letters = normalize("NFKD", folder.resolve().name).encode("ascii", "ignore").decode()
    name = re.sub(r"[^A-Za-z0-9]+", "-", letters).strip("-")
    name = name if PROJECT_NAME.match(name) else f"agent-{name}"
    return name[:_LONGEST_NAME].strip("-")


def write_project(folder: Path, contents: Mapping[str, str], *, force: bool) -> None:
    """Writes every file, or none. Raises `ConfigError`: a file is there already, or the folder cannot be written."""
    _refuse_conflicts(folder, contents, force=force)
    first_new = next((path for path in [*reversed(folder.parents), folder] if not path.exists()), None)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".seatrial-init-", dir=folder) as staged:
            _move_in(folder, Path(staged), contents)
    except OSError as error:
        if first_new is not None:
            shutil.rmtree(first_new, ignore_errors=True)
        raise ConfigError(
            f"nothing was written; {error.filename or folder} cannot be written: {error.strerror}"
        ) from error


def _refuse_conflicts(folder: Path, contents: Mapping[str, str], *, force: bool) -> None:
    targets = [folder / path for path in contents]
    in_the_way = {parent for target in targets for parent in target.parents if _is_no_folder(parent)}
    in_the_way |= {target for target in targets if target.is_dir()}
    if in_the_way:
        raise ConfigError(
            f"nothing was written; these are in the way:\n{_listed(sorted(in_the_way))}", hint="choose another folder"
        )
    existing = [target for target in targets if target.exists() or target.is_symlink()]
    if existing and not force:
        raise ConfigError(
            f"nothing was written; these files are there already:\n{_listed(existing)}",
            hint="choose another folder, or overwrite them with --force",
        )


def _is_no_folder(path: Path) -> bool:
    return path.exists() and not path.is_dir()


def _listed(paths: list[Path]) -> str:
    return "\n".join(f"  {path}" for path in paths)


def _move_in(folder: Path, staged: Path, contents: Mapping[str, str]) -> None:
    """Writes beside the targets first; what was moved is moved back when a later file fails."""
    for path, text in contents.items():
        _room_for(staged / "new" / path).write_text(text, encoding="utf-8", newline="\n")
    undo: list[tuple[Path, Path]] = []
    try:
        for path in contents:
            target = folder / path
            if target.exists() or target.is_symlink():
                undo.append((target.replace(_room_for(staged / "old" / path)), target))
            (staged / "new" / path).replace(_room_for(target))
            undo.append((target, staged / "new" / path))
    except OSError:
        for moved, origin in reversed(undo):
            moved.replace(origin)
        raise


def _room_for(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            name = entry.name.removeprefix("dot") if entry.name.startswith("dot.") else entry.name
            yield f"{prefix}{name}", entry.read_text(encoding="utf-8")


def _filled(text: str, said: Mapping[str, str]) -> str:
    for mark, value in said.items():
        text = text.replace(mark, value)
    return text


def _engine(model: StarterModel) -> str:
    if model.provider == LOCAL:
        return _ENGINE
    needed = [f"`{variable}`" for variable in model.variables]
    setting = f" Set {' and '.join(needed)} in the environment or in `.env` beside `agent.yaml`." if needed else ""
    return f"The model is `{model.name}` of `{model.provider}`.{setting}"
