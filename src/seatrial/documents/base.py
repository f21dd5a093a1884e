"""The words of documents: what a reader takes, what it gives, and the protocol between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

TextFormat = Literal["plain", "markdown"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a file is taken in before it is refused; guards against zip bombs and files taken by mistake.

    ``max_unpacked_ratio`` compares the unpacked with the packed size of zip-based files (Word, Excel, PowerPoint).
    """

    max_bytes: int = 64 * 1024 * 1024
    max_text_chars: int = 32_000_000
    max_records: int = 1_000_000
    max_cells: int = 20_000_000
    max_pages: int = 5_000
    max_unpacked_bytes: int = 512 * 1024 * 1024
    max_unpacked_ratio: int = 200
    max_pixels: int = 100_000_000


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Which part of a file is wanted, and how far to go.

    ``pages`` count from 1 and mean slides in a deck. ``cell_range`` is like ``A1:E100``. ``record_path`` leads with
    dots to the list of records inside a JSON or YAML value. ``delimiter`` separates the columns of a CSV file; it is
    found when it is None.
    """

    pages: tuple[int, ...] | None = None
    sheet: str | None = None
    cell_range: str | None = None
    record_path: str | None = None
    delimiter: str | None = None
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a document that was read around; the rest of it is kept. ``line`` counts from 1."""

    message: str
    source: str
    line: int | None = None

    def __str__(self) -> str:
        place = self.source if self.line is None else f"{self.source}:{self.line}"
        return f"{place}: {self.message}"


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of a document's text with a place of its own: ``page 3``, ``sheet Prices``, ``slide 2``.

    ``start`` and ``end`` are character offsets in the document's text.
    """

    place: str
    start: int
    end: int
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """One row or object. ``enclosing`` holds the fields of the objects around it, nearest last.

    ``place`` names it for people (``record 12``), ``line`` is where it starts in the file, if that is known.
    """

    fields: Mapping[str, Any]
    place: str
    line: int | None = None
    enclosing: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """What a reader made of one file.

    ``text`` is the whole content for people and models, in ``text_format``. ``rows`` are the cells of a table file,
    header first. ``records`` are set where the file is a list of things; each is then a passage of its own.
    ``blank_pages`` are pages that hold pictures and no text.
    """

    source: str
    text: str
    text_format: TextFormat = "plain"
    sections: tuple[Section, ...] = ()
    rows: tuple[tuple[str, ...], ...] | None = None
    records: tuple[Record, ...] | None = None
    blank_pages: tuple[int, ...] = ()
    problems: tuple[Problem, ...] = ()


class Reader(Protocol):
    """Reads one type of file. May block; holds no state, so that many threads may share one."""

    def read(self, data: bytes, source: str, options: ReadOptions) -> Document:
        """The document in ``data``; ``source`` is the file's name in messages.

        Raises `DocumentError` when nothing useful can be read; what can be read around becomes a `Problem`.
        """
