"""The files and folders that an agent reads, by the keys under which they are named."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seatrial.config.loaded import LoadedAgent
from seatrial.config.paths import kind_of
from seatrial.config.python_uses import files_used

_HOLDERS = {
    "after_tool_call",
    "before_tool_call",
    "file",
    "grader",
    "json_schema",
    "path",
    "python",
    "reranker",
    "response_format",
    "source",
}
_OF_THE_ENVIRONMENT = {"env_file"}
_OF_PROGRAMS = {"args", "command", "server"}
_NOT_READ = frozenset({".seatrial", ".git", "__pycache__"})


def files_named(loaded: LoadedAgent) -> Iterator[Path]:
    """Absolute paths of what was read, and of what is named and will be; not all of them need to exist."""
    yield from _defining(loaded)
    yield loaded.folder / ".env"
    yield from (loaded.path_to(text) for text in _texts(loaded.data, _OF_THE_ENVIRONMENT) if text.strip())


def files_defining(loaded: LoadedAgent) -> list[Path]:
    """Absolute paths of the files and folders that are there and make the agent what it is, each once.

    With a Python file come those that it imports from beside it and the data that it names. Files of variables are
    left out: they say where and with which keys the agent runs.
    """
    found: dict[Path, None] = {}
    for path in _defining(loaded):
        kind = kind_of(path)
        if kind == "folder":
            found[path] = None
        elif kind == "file":
            found.update(dict.fromkeys(files_used(path) if path.suffix == ".py" else [path]))
    return list(found)


def files_inside(folder: Path) -> Iterator[Path]:
    """The files in a folder and below it, by name, without what version control and Python keep there."""
    for path in sorted(folder.rglob("*")):
        if _NOT_READ.isdisjoint(path.relative_to(folder).parts) and kind_of(path) == "file":
            yield path


def _defining(loaded: LoadedAgent) -> Iterator[Path]:
    yield from (path.absolute() for path in loaded.sources)
    for text in dict.fromkeys(filter(str.strip, _texts(loaded.data, _HOLDERS))):
        yield loaded.path_to(text)
        file, separator, _ = text.rpartition(":")
        if separator and file:
            yield loaded.path_to(file)
    yield from _programs(loaded)


def _programs(loaded: LoadedAgent) -> Iterator[Path]:
    """Files among the words of a server's command line: ``python stock.py``."""
    for text in dict.fromkeys(_texts(loaded.data, _OF_PROGRAMS)):
        for word in [text, *_words(text)]:
            path = loaded.path_to(word)
            if path.is_relative_to(loaded.folder) and kind_of(path) == "file":
                yield path


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _texts(data: Any, holders: set[str]) -> Iterator[str]:
    """Texts that may name a file; of a model its name, which is a file where the provider takes one."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key in holders or (key == "name" and "provider" in data and holders is _HOLDERS):
                yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str))
            if isinstance(value, dict | list):
                yield from _texts(value, holders)
    elif isinstance(data, list):
        for item in data:
            yield from _texts(item, holders)
