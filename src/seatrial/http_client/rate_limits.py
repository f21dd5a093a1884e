"""What a reply says of the requests and tokens that are left, and of when there will be more.

Sources: OpenAI's and Azure's ``x-ratelimit-remaining-*`` with a reset such as ``6m0s``, Anthropic's
``anthropic-ratelimit-*-remaining`` with a reset as a moment, and ``ratelimit-remaining`` with a reset in seconds
(draft-ietf-httpapi-ratelimit-headers-07).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime

_KINDS = ("requests", "tokens")
_PAIRS = (
    *((f"x-ratelimit-remaining-{kind}", f"x-ratelimit-reset-{kind}") for kind in _KINDS),
    *(
        (f"anthropic-ratelimit-{kind}-remaining", f"anthropic-ratelimit-{kind}-reset")
        for kind in (*_KINDS, "input-tokens", "output-tokens")
    ),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
)
_UNITS_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhd])")
_DURATION = re.compile(r"(?:\d+(?:\.\d+)?(?:ms|[smhd]))+")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_A_MOMENT_S = 1e9  # a number of seconds as large as this is a point in time


def pause_asked_for(headers: Mapping[str, str], *, now: Callable[[], float] = time.time) -> float | None:
    """Seconds until there is more of what is used up; None while something is left, or when it is not said."""
    if not any("remaining" in name.lower() for name in headers):
        return None
    longest_s = None
    for remaining, reset in _PAIRS:
        if headers.get(remaining) == "0":
            wait_s = _seconds(headers.get(reset, ""), now)
            if wait_s is not None:
                longest_s = max(longest_s or 0.0, wait_s)
    return longest_s


def _seconds(reset: str, now: Callable[[], float]) -> float | None:
    reset = reset.strip()
    if _NUMBER.fullmatch(reset):
        seconds = float(reset)
        return max(seconds - now(), 0.0) if seconds >= _A_MOMENT_S else seconds
    if _DURATION.fullmatch(reset):
        return sum(float(number) * _UNITS_S[unit] for number, unit in _PART.findall(reset))
    try:
        return max(datetime.fromisoformat(reset).timestamp() - now(), 0.0)
    except (ValueError, OverflowError):
        return None
