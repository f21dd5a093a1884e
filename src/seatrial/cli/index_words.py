"""What was done to an index, in words."""

from __future__ import annotations

from seatrial.retrieval.report import IndexReport


def index_in_words(report: IndexReport) -> str:
    """Its size, and what of it is new: ``7 files, 26 passages (7 read, 26 passages embedded)``."""
    removed = f", {report.files_removed} removed" if report.files_removed else ""
    return (
        f"{counted(report.files, 'file')}, {counted(report.chunks, 'passage')} "
        f"({report.files_read} read{removed}, {counted(report.embedded_chunks, 'passage')} embedded)"
    )


def has_changed(report: IndexReport) -> bool:
    """Whether anything was done at all."""
    return bool(report.files_read or report.files_removed)


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 file``, ``2 files``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
