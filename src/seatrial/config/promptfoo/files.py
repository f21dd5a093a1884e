"""Files that a configuration consists of: itself, and those that ``file://`` names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from seatrial.config.diagnostics import Place
from seatrial.config.located import Block, Listing
from seatrial.config.notes import Notes
from seatrial.config.paths import from_folder, is_pattern, kind_of, matching_files, near_path
from seatrial.config.source import Source, read_source
from seatrial.config.tables import read_table
from seatrial.config.yaml_reader import read_yaml
from seatrial.errors import ConfigError

MARK = "file://"
CODE = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".py", ".rb", ".sh", ".pl")
_TABS = re.compile(r"^\t+", re.MULTILINE)


def read_document(path: Path) -> Any:
    """The located data of a YAML or JSON file. Raises `ConfigError` with diagnostics."""
    source = read_source(path)
    if path.suffix.lower() == ".json":
        return _json(source)
    document = read_yaml(source)
    errors = [problem for problem in document.problems if problem.severity == "error"]
    if errors:
        raise ConfigError(f"{path} cannot be read as YAML", diagnostics=errors)
    return document.data


def _json(source: Source) -> Any:
    try:
        data = json.loads(source.text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{source.path} is not JSON: {error}") from None
    untabbed = Source(source.path, _TABS.sub(lambda tabs: " " * len(tabs[0]), source.text))
    document = read_yaml(untabbed)
    return located(data, Place(source.path, 1)) if document.problems else document.data


def located(value: Any, place: Place) -> Any:
    """Plain data as blocks and lists that all stand at one place."""
    if isinstance(value, dict):
        block = Block(place.file, place.line, place.column)
        block.update({str(key): located(item, place) for key, item in value.items()})
        return block
    if isinstance(value, list):
        listing = Listing(place.file, place.line, place.column)
        listing.extend(located(item, place) for item in value)
        listing.spots.extend([(place.line, place.column, 1)] * len(value))
        return listing
    return value


class Files:
    """Finds what references mean; what cannot be found or read is noted."""

    def __init__(self, folder: Path, notes: Notes) -> None:
        self.folder = folder
        self.notes = notes

    def named(self, written: str, place: Place) -> Iterator[Path]:
        """The files of a reference or pattern, without those that hold code."""
        name = written.removeprefix(MARK).split("#")[0]
        bare = re.sub(r"(\.\w+):[\w.]+$", r"\1", name)
        if bare.endswith(CODE):
            self.notes.left(place, f"`{written}`", "code is not run; write what it gives into a file")
            return
        if not Path(name).name:
            self.notes.left(place, f"`{written}`", "it names no file")
            return
        path = from_folder(self.folder, name)
        if kind_of(path) == "file":
            yield path
        elif is_pattern(name) and (found := matching_files(self.folder, name)):
            yield from (file for file in found if not file.name.endswith(CODE))
        else:
            near = near_path(path, name)
            hint = f"did you mean {near}?" if near else f"looked for {path}"
            self.notes.left(place, f"`{written}`", f"there is no such file; {hint}")

    def text(self, path: Path, place: Place) -> str | None:
        """The file's text."""
        try:
            return read_source(path).text
        except ConfigError as error:
            self.notes.left(place, f"`{path.name}`", error.message)
            return None

    def rows(self, path: Path, place: Place) -> list[tuple[int, dict[str, Any]]]:
        """The rows of a table, each with its line; none of one that cannot be read."""
        try:
            return list(read_table(path))
        except ConfigError as error:
            self.notes.left(error.diagnostics[0].place if error.diagnostics else place, f"`{path.name}`", error.message)
            return []

    def data(self, path: Path, place: Place) -> Any:
        """The data of a YAML or JSON file."""
        try:
            return read_document(path)
        except ConfigError as error:
            reasons = [finding.message for finding in error.diagnostics][:1] or [error.message]
            self.notes.left(place, f"`{path.name}`", reasons[0])
            return None

    def value(self, value: Any, place: Place) -> Any:
        """The data of a reference to a YAML or JSON file, everything else as it is."""
        if not isinstance(value, str) or not value.startswith(MARK):
            return value
        found = [self.data(path, place) for path in self.named(value, place)]
        return found[0] if found else None
