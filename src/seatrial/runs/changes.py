"""What changed in an agent's files between two runs: keys with their old and new values, texts line by line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from pathlib import Path, PurePath
from typing import Any, Literal

import msgspec

from seatrial.config.located import plain
from seatrial.config.source import Source as ConfigSource
from seatrial.config.yaml_reader import read_yaml
from seatrial.runs.records import Source

_YAML = (".yaml", ".yml")
_NAMING_KEYS = ("name", "metric")
_ABSENT = object()
_MEASURE_KEYS = ("test_cases", "test_cases_file", "evaluations")
_LONG = 120


class KeyChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A key of a YAML file with another value: ``model.temperature``. None on the side where it does not stand."""

    file: str
    key: str
    kind: Literal["changed", "added", "removed"]
    old: Any = None
    new: Any = None
    diff: tuple[str, ...] = ()


class FileChange(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file that is new, gone or different; ``diff`` are its changed lines, each behind its sign."""

    file: str
    kind: Literal["changed", "added", "removed", "layout"]
    diff: tuple[str, ...] = ()


class Changes(msgspec.Struct, frozen=True, omit_defaults=True):
    """What changed. ``is_known`` is False where one side keeps no files."""

    keys: tuple[KeyChange, ...] = ()
    files: tuple[FileChange, ...] = ()
    is_known: bool = True

    @property
    def touches_measure(self) -> bool:
        """Whether the cases or the metrics changed, so that both sides were not measured alike."""
        return any(change.key.split(".")[0].split("[")[0] in _MEASURE_KEYS for change in self.keys)


def changes_between(before: Sequence[Source], after: Sequence[Source], *, are_whole: bool = True) -> Changes:
    """Key by key for YAML files, line by line for others; files by their hash where a text is not kept.

    Unless the lists ``are_whole``, a file that only one of them names tells nothing.
    """
    if not before or not after:
        return Changes(is_known=False)
    old, new = {source.path: source for source in before}, {source.path: source for source in after}
    keys: list[KeyChange] = []
    files = [FileChange(path, "removed") for path in old if path not in new and are_whole]
    files += [FileChange(path, "added") for path in new if path not in old and are_whole]
    for path in old:
        if path not in new or old[path].sha256 == new[path].sha256:
            continue
        found = _in_yaml(old[path], new[path])
        keys += found or ()
        if not found:
            kind: Literal["changed", "layout"] = "changed" if found is None else "layout"
            files.append(FileChange(path, kind, _diff(old[path].text, new[path].text) if found is None else ()))
    return Changes(tuple(keys), tuple(files))


def _in_yaml(before: Source, after: Source) -> list[KeyChange] | None:
    """The keys that differ; None when the files are no YAML that can be read."""
    if PurePath(before.path).suffix not in _YAML or not before.text or not after.text:
        return None
    sides = [read_yaml(ConfigSource(Path(source.path), source.text)).data for source in (before, after)]
    if any(not isinstance(side, dict | list) for side in sides):
        return None
    old, new = (plain(side) for side in sides)
    return list(_differences(before.path, "", old, new))


def _differences(file: str, key: str, old: Any, new: Any) -> Iterator[KeyChange]:
    if old is _ABSENT:
        yield KeyChange(file, key, "added", None, new)
    elif new is _ABSENT:
        yield KeyChange(file, key, "removed", old, None)
    elif isinstance(old, dict) and isinstance(new, dict):
        for name in dict.fromkeys((*old, *new)):
            inner = f"{key}.{name}" if key else name
            yield from _differences(file, inner, old.get(name, _ABSENT), new.get(name, _ABSENT))
    elif isinstance(old, list) and isinstance(new, list):
        named_old, named_new = _by_name(old), _by_name(new)
        for name in dict.fromkeys((*named_old, *named_new)):
            inner = f"{key}[{name}]"
            yield from _differences(file, inner, named_old.get(name, _ABSENT), named_new.get(name, _ABSENT))
        if sorted(named_old) == sorted(named_new) and list(named_old) != list(named_new):
            yield KeyChange(file, key, "changed", list(named_old), list(named_new))
    elif old != new or type(old) is not type(new):
        yield KeyChange(file, key, "changed", old, new, _diff_of_long(old, new))


def _by_name(items: Sequence[Any]) -> dict[str, Any]:
    """The entries of a list by what names them, else by their place."""
    named = {_name_of(item) or str(place): item for place, item in enumerate(items)}
    return named if len(named) == len(items) else {str(place): item for place, item in enumerate(items)}


def _name_of(item: Any) -> str | None:
    if isinstance(item, str):
        return item if len(item) <= _LONG else None
    if not isinstance(item, dict):
        return None
    return next((str(item[key]) for key in _NAMING_KEYS if isinstance(item.get(key), str)), None)


def _diff_of_long(old: Any, new: Any) -> tuple[str, ...]:
    if not (isinstance(old, str) and isinstance(new, str)):
        return ()
    is_long = any("\n" in text.strip() or len(text) > _LONG for text in (old, new))
    return _diff(old, new) if is_long else ()


def _diff(before: str, after: str) -> tuple[str, ...]:
    if not before or not after:  # of a baseline's files only the hash is kept
        return ()
    lines = list(unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1))[2:]
    return tuple(line for line in lines if not line.startswith("@@"))
