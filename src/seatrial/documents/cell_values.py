"""Spreadsheet cells as a person sees them."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import Any

_LITERALS = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_ZEROS = re.compile(r"0+")


def shown_cell(value: Any, number_format: str = "General") -> str:
    """The value without what storage adds: no ``.0``, no midnight, no rounding noise; blank is the empty string.

    Of the number format only what changes the meaning is kept: a fixed number of digits (``00000``) and per cent.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return _number(value, number_format)
    if isinstance(value, datetime):
        return _moment(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return _clock(value)
    if isinstance(value, timedelta):
        return _duration(value)
    return str(value)


def _number(value: float, number_format: str) -> str:
    bare = _LITERALS.sub("", number_format.split(";")[0])
    if "%" in bare:
        return f"{value * 100:.15g}%"
    if _ZEROS.fullmatch(bare) and len(bare) > 1 and value == int(value) and value >= 0:
        return f"{int(value):0{len(bare)}d}"
    # Spreadsheets hold and show 15 digits; more are noise of the binary form.
    return str(value) if isinstance(value, int) else _plain_float(value)


def _plain_float(value: float) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.15g}"


def _moment(value: datetime) -> str:
    if value.time() == time():
        return value.date().isoformat()
    return f"{value.date().isoformat()} {_clock(value.time())}"


def _clock(value: time) -> str:
    rounded = value if value.microsecond < 500_000 else (datetime.combine(date(2000, 1, 1), value) + _SECOND).time()
    return f"{rounded:%H:%M:%S}" if rounded.second else f"{rounded:%H:%M}"


_SECOND = timedelta(seconds=1)


def _duration(value: timedelta) -> str:
    total = round(value.total_seconds())
    sign, total = ("-", -total) if total < 0 else ("", total)
    hours, rest = divmod(total, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{sign}{hours}:{minutes:02}" + (f":{seconds:02}" if seconds else "")
