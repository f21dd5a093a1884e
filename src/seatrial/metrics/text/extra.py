"""The one answer to a reference library that is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from seatrial.errors import MissingExtraError


@contextmanager
def from_extra_metrics(needed_for: str) -> Iterator[None]:
    """Turns a failed import inside into `MissingExtraError` with the line to paste."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError("metrics", f"the metric {needed_for}") from error
