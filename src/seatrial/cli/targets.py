"""Where reports are written: decided when the command starts, and never over what the run reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from seatrial.config.files_named import files_named
from seatrial.config.loaded import LoadedAgent
from seatrial.errors import ConfigError
from seatrial.reporters.base import check_target

_ANOTHER_NAME = "give the report another name"


def report_targets(asked: Mapping[str, Path | None]) -> dict[str, Path]:
    """The absolute path of each report that is wanted: no code of the run can move it.

    Raises `ConfigError` for a place that cannot be written to, and for two reports in one file.
    """
    targets: dict[str, Path] = {}
    for kind, path in asked.items():
        if path is None:
            continue
        check_target(path)
        if any(_is_same(path, other) for other in targets.values()):
            raise ConfigError(f"{path} is named for two reports", hint="give each a file of its own")
        targets[kind] = path.absolute()
    return targets


def refuse_inputs(targets: Iterable[Path], inputs: Mapping[Path, str]) -> None:
    """Raises `ConfigError` when a report would take the place of one of these files; of each it is said what it is."""
    for target in targets:
        for path, what in inputs.items():
            if _is_same(target, path):
                raise ConfigError(f"{target} is {what} and would be overwritten", hint=_ANOTHER_NAME)


def refuse_what_is_read(targets: Iterable[Path], loaded: LoadedAgent, inputs: Mapping[Path, str]) -> None:
    """As `refuse_inputs`, and also for every file that the agent reads, and for a place among them."""
    targets = list(targets)
    refuse_inputs(targets, inputs)
    read = list(files_named(loaded))
    for target in targets:
        if target.suffix == ".py" and target.exists():
            raise ConfigError(f"{target} is Python code and would be overwritten", hint=_ANOTHER_NAME)
        for path in read:
            if _is_same(target, path):
                raise ConfigError(f"{target} is read by the run and would be overwritten", hint=_ANOTHER_NAME)
            if path.is_dir() and target.resolve().is_relative_to(path.resolve()):
                raise ConfigError(
                    f"{target} would stand in {path}, which the agent reads",
                    hint="write the report into another folder",
                )


def _is_same(one: Path, other: Path) -> bool:
    """Whether both are one file, by whichever of its names."""
    try:
        return one.samefile(other) if one.exists() and other.exists() else one.resolve() == other.resolve()
    except (OSError, ValueError):
        return False
