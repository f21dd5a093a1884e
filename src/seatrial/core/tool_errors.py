"""Exceptions in words for the model."""

from __future__ import annotations

import traceback

from seatrial.errors import SeatrialError


def told(error: BaseException) -> str:
    """Kind and message of an exception; our own errors speak for themselves."""
    if isinstance(error, SeatrialError):
        return error.message if error.hint is None else f"{error.message} ({error.hint})"
    return "".join(traceback.format_exception_only(error)).strip()
