"""Data as read from a file, in which every key and item still knows its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from seatrial.config.diagnostics import Place

KeyPath = tuple[str | int, ...]

_NULL = re.compile(r"(?:~|null|Null|NULL)?")
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_MAX_DIGITS = 1000
_SPECIAL = {".inf": "inf", "-.inf": "-inf", "+.inf": "inf", ".nan": "nan"}


class PlainText(str):
    """A scalar without quotes that YAML 1.2 reads as a number or a boolean. As text it is what the file says."""

    __slots__ = ()

    def resolved(self) -> bool | int | float:
        """The number or boolean."""
        text = str(self)
        if text in _BOOL:
            return _BOOL[text]
        if len(text) < _MAX_DIGITS and _INT.fullmatch(text):
            return int(text, 0) if text[:2] in ("0o", "0x") else int(text)
        return float(_SPECIAL.get(text.lower(), text))


class FilledText(str):
    """A scalar with variables put in. ``written`` is the file's own text; ``is_whole`` False: one was not set."""

    __slots__ = ("is_whole", "written")
    written: str
    is_whole: bool


class Spot(NamedTuple):
    """Where a key and its value stand; lines and columns from 1, lengths in characters.

    ``end`` is the line and column behind the value, None where nobody needs it; ``file`` None is the block's own.
    """

    key_line: int
    key_column: int
    key_length: int
    line: int
    column: int
    length: int
    file: Path | None = None
    end: tuple[int, int] | None = None


class Block(dict[str, Any]):
    """A mapping that knows where it and its keys stand. ``is_flow``: it is written between braces."""

    __slots__ = ("_spots", "column", "file", "is_flow", "line")

    def __init__(self, file: Path, line: int, column: int = 1) -> None:
        super().__init__()
        self.file = file
        self.line = line
        self.column = column
        self.is_flow = False
        self._spots: dict[str, Spot] | None = None

    @property
    def spots(self) -> dict[str, Spot]:
        """Where each key stands, as far as that is known; to be added to."""
        if self._spots is None:
            self._spots = {}
        return self._spots

    @property
    def place(self) -> Place:
        """Where the mapping begins."""
        return Place(self.file, self.line, self.column)

    def place_of_key(self, key: str) -> Place:
        """Where the key stands; the mapping's own place for a key that no file holds."""
        spot = self.spots.get(key)
        if spot is None:
            return self.place
        return Place(spot.file or self.file, spot.key_line, spot.key_column, spot.key_length)

    def place_of_value(self, key: str) -> Place:
        """Where the value stands when it begins on the key's line, else where the key stands."""
        spot = self.spots.get(key)
        if spot is None or spot.line != spot.key_line:
            return self.place_of_key(key)
        return Place(spot.file or self.file, spot.line, spot.column, spot.length)

    def take_over(self, key: str, other: Block) -> None:
        """Sets a key to the value that another block has, with its place there."""
        self[key] = other[key]
        if key in other.spots:
            self.spots[key] = other.spots[key]._replace(file=other.spots[key].file or other.file)

    def rename(self, old: str, new: str) -> None:
        """Moves a value to another key; the place stays that of the old one."""
        self[new] = self.pop(old)
        if self._spots is not None and old in self._spots:
            self._spots[new] = self._spots.pop(old)


class Listing(list[Any]):
    """A list that knows where it and its items stand."""

    __slots__ = ("_elsewhere", "column", "file", "line", "spots")

    def __init__(self, file: Path, line: int, column: int = 1) -> None:
        super().__init__()
        self.file = file
        self.line = line
        self.column = column
        self.spots: list[tuple[int, int, int]] = []
        self._elsewhere: dict[int, Path] = {}

    @property
    def place(self) -> Place:
        """Where the list begins."""
        return Place(self.file, self.line, self.column)

    def place_of_item(self, index: int) -> Place:
        """Where the item begins."""
        item = self[index]
        if isinstance(item, (Block, Listing)):
            return item.place
        if index >= len(self.spots):
            return self.place
        return Place(self._elsewhere.get(index, self.file), *self.spots[index])

    def join(self, other: Listing) -> None:
        """Adds the items of another list, which may be of another file."""
        self._fill_spots()
        if other.file != self.file:
            bare = (at for at, item in enumerate(other, start=len(self)) if not isinstance(item, (Block, Listing)))
            self._elsewhere.update(dict.fromkeys(bare, other.file))
        self.extend(other)
        self.spots.extend(other.spots)
        self._fill_spots()

    def _fill_spots(self) -> None:
        """Blocks know their places themselves: rows of data files, of which there are many, have none here."""
        self.spots += [(self.line, self.column, 1)] * (len(self) - len(self.spots))


def unreadable_text() -> FilledText:
    """What stands for a value that could not be read: nothing more is said about it."""
    text = FilledText("")
    text.written, text.is_whole = "", False
    return text


def read_scalar(text: str) -> str | None:
    """A scalar without quotes: None for a null, `PlainText` for what looks typed, else the text itself."""
    if _NULL.fullmatch(text):
        return None
    first = text[0]
    if first.isdigit() or first in "+-.":
        is_typed = _INT.fullmatch(text) or _FLOAT.fullmatch(text) or text.lower() in _SPECIAL
        return PlainText(text) if is_typed else text
    return PlainText(text) if text in _BOOL else text


def plain(value: Any) -> Any:
    """The value as ordinary Python data, unquoted numbers and booleans resolved."""
    if isinstance(value, PlainText):
        return value.resolved()
    if isinstance(value, str):
        return str(value)
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def as_written(value: Any) -> Any:
    """The value as ordinary data in which every scalar is the file's own text."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, dict):
        return {str(key): as_written(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_written(item) for item in value]
    return value


def locate(data: Any, path: Iterable[str | int], *, of_key: bool = False) -> Place | None:
    """The place of a key path in located data; of the deepest part that is there, when not all of it is.

    A block where a list of blocks was meant stands for its one item, and a list for the block around it.
    """
    place: Place | None = data.place if isinstance(data, (Block, Listing)) else None
    for step in path:
        if isinstance(data, Block) and isinstance(step, str) and step in data:
            place = data.place_of_key(step) if of_key else data.place_of_value(step)
            data = data[step]
        elif isinstance(data, Listing) and isinstance(step, int) and 0 <= step < len(data):
            place = data.place_of_item(step)
            data = data[step]
        elif not (isinstance(data, Block) and isinstance(step, int)) and not isinstance(data, Listing):
            break
    return place


def value_at(data: Any, path: Iterable[str | int]) -> Any:
    """What stands at a key path, None when nothing does; with the same leniency as `locate`."""
    for step in path:
        if isinstance(data, dict):
            data = data if isinstance(step, int) else data.get(step)
        elif isinstance(data, list | tuple):
            if isinstance(step, int):
                data = data[step] if 0 <= step < len(data) else None
        else:
            return None
    return data


def changed(data: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """The mapping with one key set: a `Block` itself, so that its places stay, else a copy."""
    if isinstance(data, Block):
        data[key] = value
        return data
    return {**data, key: value}


def derived(data: dict[str, Any], keys: Iterable[str], **more: Any) -> dict[str, Any]:
    """A copy with only these keys, and more values; a `Block` keeps its places."""
    kept = {key: data[key] for key in keys if key in data} | more
    if not isinstance(data, Block):
        return kept
    copy = Block(data.file, data.line, data.column)
    copy.update(kept)
    copy.spots.update({key: spot for key, spot in data.spots.items() if key in kept})
    return copy
