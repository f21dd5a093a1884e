"""Looks for files and functions that an agent file names; reads files, runs nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from seatrial.config.diagnostics import Diagnostic, Place, Severity
from seatrial.config.hooks import split_reference
from seatrial.config.located import Block, FilledText, KeyPath, locate, value_at
from seatrial.config.names import did_you_mean
from seatrial.config.paths import from_folder, kind_of, names_in, near_path
from seatrial.config.python_source import PythonNames, names_defined
from seatrial.config.source import read_source
from seatrial.errors import ConfigError

_MOST_SHOWN = 5
_SCHEMES = ("http://", "https://", "s3://", "az://", "gs://", "file://")


class Lookup:
    """What stands at key paths of the data, and whether it exists beside the agent file."""

    def __init__(self, data: Block, path: Path) -> None:
        self.data = data
        self.path = path
        self.folder = path.parent
        self._names_in = cache(names_defined)
        self._names_beside = cache(names_in)

    def functions(self, path: KeyPath) -> Iterator[Diagnostic]:
        """What is wrong with a function reference, or with each in a list."""
        yield from self.function(path)
        for index in self.indices(path):
            yield from self.function((*path, index))

    def function(self, path: KeyPath) -> Iterator[Diagnostic]:
        """What is wrong with ``file.py:function`` at this place."""
        reference = self.text(path)
        if reference is None:
            return
        file, function = split_reference(reference)
        if not file or not function.isidentifier():
            yield self.finding("ST402", path, f"`{reference}` is not written as file.py:function")
            return
        found = file if file.endswith(".py") else self._module_file(file)
        if found is None:
            return
        problems = list(self.named(found, path))
        yield from problems or self.defined(found, function, path, path)

    def _module_file(self, module: str) -> str | None:
        """The file of a dotted module beside the agent file; None for one that may be installed."""
        relative = module.replace(".", "/") + ".py"
        return relative if kind_of(self.folder / relative) == "file" else None

    def defined(self, file: str, function: str, path: KeyPath, file_path: KeyPath) -> Iterator[Diagnostic]:
        """Whether a Python file defines the function; ``file_path`` is where the file is named."""
        try:
            found: PythonNames = self._names_in(self.absolute(file))
        except OSError as error:
            yield self.finding("ST302", file_path, f"{file} cannot be read: {error.strerror}")
            return
        if found.syntax_error is not None:
            yield self.finding("ST307", file_path, f"{file} has a syntax error, {found.syntax_error}")
        elif found.names is not None and function not in found.names:
            public = sorted(name for name in found.names if not name.startswith("_"))
            message = f"{file} does not define `{function}`"
            yield self.finding("ST304", path, message, did_you_mean(function, public))

    def schema_file(self, path: KeyPath) -> Iterator[Diagnostic]:
        """What is wrong with the file of a JSON Schema, where a file is named here."""
        written = self.text(path)
        if written is None:
            return
        problems = list(self.file(path))
        yield from problems
        try:
            if not problems:
                json.loads(read_source(self.absolute(written)).text)
        except ConfigError as error:
            yield self.finding("ST302", path, error.message)
        except ValueError as error:
            yield self.finding("ST302", path, f"{written} is not valid JSON: {error}")

    def file(self, path: KeyPath) -> Iterator[Diagnostic]:
        """What is wrong with the file that is named here."""
        written = self.text(path)
        if written is not None:
            yield from self.named(written, path)

    def named(self, written: str, path: KeyPath) -> Iterator[Diagnostic]:
        """What is wrong with a file that the text at this place names."""
        kind = kind_of(self.absolute(written))
        if kind in ("folder", "other"):
            what = "a folder" if kind == "folder" else "no regular file"
            yield self.finding("ST302", path, f"{written} is {what}, and a file is needed")
        else:
            yield from self.missing(written, path)

    def exists(self, path: KeyPath, what: str) -> Iterator[Diagnostic]:
        """What is wrong with the file or folder that is named here."""
        written = self.text(path)
        if written is None:
            return
        if written.startswith(_SCHEMES):
            hint = "download it, and name the file or folder"
            yield self.finding("ST302", path, f"{what} must be a file or a folder, not an address", hint)
            return
        yield from self.missing(written, path)

    def missing(self, written: str, path: KeyPath) -> Iterator[Diagnostic]:
        """A finding when no file and no folder is at that path."""
        target = self.absolute(written)
        kind = kind_of(target)
        if kind in ("unusable", "other"):
            yield self.finding("ST302", path, f"{written[:80]} is no usable path")
        elif kind == "missing" and target.is_symlink():
            message = f"{written} is a link to {target.readlink()}, which does not exist"
            yield self.finding("ST301", path, message)
        elif kind == "missing":
            yield self.finding("ST301", path, f"{written} does not exist", self._hint_for_missing(target, written))

    def _hint_for_missing(self, target: Path, written: str) -> str:
        near = near_path(target, written, self._names_beside(target.parent))
        if near is not None:
            return f"did you mean {near}?"
        if not Path(written).is_absolute() and Path(written).exists():
            return f"paths begin at the folder of the agent file, {self.folder.absolute()}"
        beside = sorted(name for name in self._names_beside(target.parent) if _is_like(name, target))
        if beside:
            shown = ", ".join(Path(written).with_name(name).as_posix() for name in beside[:_MOST_SHOWN])
            return f"there {'is' if len(beside) == 1 else 'are'} {shown}{', ...' if beside[_MOST_SHOWN:] else ''}"
        return f"create it, or name another; looked in {target.parent.absolute()}"

    def absolute(self, written: str) -> Path:
        """The path that is meant."""
        return from_folder(self.folder, written)

    def text(self, path: KeyPath) -> str | None:
        """The text at this place; None for none, and for one whose variables are not set."""
        value = value_at(self.data, path)
        if not isinstance(value, str) or not value.strip():
            return None
        return None if isinstance(value, FilledText) and not value.is_whole else str(value)

    def indices(self, path: KeyPath) -> range:
        """The items of the list at this place; none when there is no list."""
        value = value_at(self.data, path)
        return range(len(value)) if isinstance(value, list) else range(0)

    def finding(
        self, code: str, path: KeyPath, message: str, hint: str | None = None, *, of_key: bool = False
    ) -> Diagnostic:
        """A finding at this place: an error, or a warning for codes of ST5xx."""
        place = locate(self.data, path, of_key=of_key) or Place(self.path, 1)
        severity: Severity = "warning" if code.startswith("ST5") else "error"
        return Diagnostic(severity, code, message, place, hint=hint, key_path=path)


def _is_like(name: str, target: Path) -> bool:
    """Whether a name is of the same type as the one that is missing, and none of an agent file."""
    return not name.startswith(".") and Path(name).suffix.lower() == target.suffix.lower() and name != "agent.yaml"
