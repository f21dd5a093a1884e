"""The progress bar of an index."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from seatrial.reporters.plain import one_line
from seatrial.retrieval.report import IndexProgress

_NAME_WIDTH = 40


class IndexBar:
    """A bar on stderr while the block lasts, and then gone; nothing where stderr is no terminal.

    It may be told of progress from any thread.
    """

    def __init__(self, tool: str) -> None:
        self._tool = tool
        self._lock = threading.Lock()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f}/{task.total:.0f} files"),
            TextColumn("{task.fields[chunks]}"),
            TimeElapsedColumn(),
            console=Console(file=sys.stderr),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._task = self._progress.add_task(one_line(tool, _NAME_WIDTH), total=1, chunks="")

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def __call__(self, step: IndexProgress) -> None:
        """Moves the bar."""
        share = step.chunks_done / step.chunks_total if step.chunks_total else 0.0
        if step.is_waiting:
            told = "waiting for another process"
        elif step.chunks_total:
            told = f"{one_line(step.source, _NAME_WIDTH)} {step.chunks_done}/{step.chunks_total} passages"
        else:
            told = one_line(step.source, _NAME_WIDTH)
        with self._lock:
            self._progress.update(
                self._task, completed=step.files_done + share, total=max(step.files_total, 1), chunks=told
            )
