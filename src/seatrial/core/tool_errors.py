"""Exceptions in words: for the model what went wrong, for people also where."""

from __future__ import annotations

import sysconfig
import traceback
from pathlib import Path
from typing import Any

from seatrial.errors import McpError, ProviderError, SeatrialError, ToolError

_OURS = str(Path(__file__).parents[1])


_MEMBERS_TOLD = 5


def told(error: BaseException) -> str:
    """Kind and message of an exception, of a group also those of its members; our own errors speak for themselves."""
    if isinstance(error, SeatrialError):
        return error.message if error.hint is None else f"{error.message} ({error.hint})"
    said = "".join(traceback.format_exception_only(error)).strip()
    if not isinstance(error, BaseExceptionGroup):
        return said
    more = ["..."] if len(error.exceptions) > _MEMBERS_TOLD else []
    return f"{said}: {'; '.join([*map(told, error.exceptions[:_MEMBERS_TOLD]), *more])}"


def details_of(error: BaseException) -> dict[str, Any] | None:
    """What people want to know besides: the place in the user's own code (``at``), and what the tool left to tell.

    ``outage`` says what failed where that was not the tool: ``server``, ``provider``.
    """
    known = dict(error.details) if isinstance(error, ToolError) else {}
    place, outage = place_in_user_code(error), _outage(error)
    found = {"at": place, "outage": outage}
    return known | {name: value for name, value in found.items() if value is not None} or None


def _outage(error: BaseException) -> str | None:
    if isinstance(error, ProviderError):
        return "provider"
    return "server" if isinstance(error, McpError) and error.is_outage else None


def failed_hook(moment: str, tool: str, why: BaseException | str) -> str:
    """In words for people that a hook failed ``before`` or ``after`` a call, and where."""
    place = None if isinstance(why, str) else place_in_user_code(why)
    where = f" in {place}" if place else ""
    return f"the hook {moment}_tool_call failed at {tool}{where}: {why if isinstance(why, str) else told(why)}"


def place_in_user_code(error: BaseException) -> str | None:
    """The innermost line that is neither ours nor the standard library's nor an installed package's: ``tools.py:12``.

    None when there is no such line.
    """
    paths = sysconfig.get_paths()
    foreign = (_OURS, *(paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")), "<")
    cause = error.__cause__ if isinstance(error, ToolError) and error.__cause__ is not None else error
    frames = [frame for frame in traceback.extract_tb(cause.__traceback__) if not frame.filename.startswith(foreign)]
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else None
