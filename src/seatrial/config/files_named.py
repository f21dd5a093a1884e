"""The files and folders that an agent reads, by the keys under which they are named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seatrial.config.loaded import LoadedAgent

_HOLDERS = {
    "after_tool_call",
    "before_tool_call",
    "env_file",
    "file",
    "grader",
    "json_schema",
    "path",
    "python",
    "reranker",
    "response_format",
    "source",
}


def files_named(loaded: LoadedAgent) -> Iterator[Path]:
    """Absolute paths of what was read, and of what is named and will be; not all of them need to exist."""
    yield from (path.absolute() for path in loaded.sources)
    yield loaded.folder / ".env"
    for text in dict.fromkeys(filter(str.strip, _texts(loaded.data))):
        yield loaded.path_to(text)
        file, separator, _ = text.rpartition(":")
        if separator and file:
            yield loaded.path_to(file)


def _texts(data: Any) -> Iterator[str]:
    """Texts that may name a file; of a model its name, which is a file where the provider takes one."""
    if isinstance(data, dict):
        for key, value in data.items():
            if key in _HOLDERS or (key == "name" and "provider" in data):
                yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, str))
            if isinstance(value, dict | list):
                yield from _texts(value)
    elif isinstance(data, list):
        for item in data:
            yield from _texts(item)
