"""What is told of an index: while it is refreshed, afterwards, and of its size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from seatrial.documents.catalog import known_suffixes
from seatrial.errors import ConfigError


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far a refresh is. ``source`` is the file at hand, ``chunks_done`` of ``chunks_total`` are its own."""

    files_done: int
    files_total: int
    source: str = ""
    chunks_done: int = 0
    chunks_total: int = 0
    is_waiting: bool = False


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What a refresh did, and what the index holds now.

    ``embedded_chunks`` were sent to the embedder; the others were known. ``problems`` name file and place, of the
    files that were not read anew too.
    """

    files: int = 0
    files_read: int = 0
    files_embedded: int = 0
    files_removed: int = 0
    chunks: int = 0
    embedded_chunks: int = 0
    problems: tuple[str, ...] = ()


ProgressSink = Callable[[IndexProgress], None]


def require_passages(report: IndexReport, source: Path) -> IndexReport:
    """The report, or `ConfigError` that says why there is nothing to search."""
    if report.chunks:
        return report
    why = "; ".join(report.problems[:3]) or "no file in it has a known type"
    hint = f"put documents there, or mend `source`; known types: {' '.join(known_suffixes())}"
    raise ConfigError(f"{source} holds nothing to search: {why}", hint=hint)


@dataclass(frozen=True, slots=True)
class IndexStats:
    """The size of an index. ``bytes_on_disk`` is None for a store on a server."""

    files: int
    chunks: int
    problems: int
    embedder: str
    bytes_on_disk: int | None
