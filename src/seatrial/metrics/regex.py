"""Regular expressions that users write, run so that none can hang a run.

A pattern that could take long on a text is tried in a process of its own, which is ended when its time is over; all
others run at once, right here.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

from seatrial.core.threads import in_thread
from seatrial.errors import MetricError

TIMEOUT_S = 2.0
STEPS_INLINE = 30_000_000
_WORKER = """
import json, re, sys
job = json.load(sys.stdin)
match = getattr(re, job["how"])(job["pattern"], job["text"], job["flags"])
json.dump(None if match is None else match.span(), sys.stdout)
"""


def compile_pattern(pattern: str, *, ignore_case: bool = False, multiline: bool = False) -> re.Pattern[str]:
    """The compiled pattern in Python's syntax. Raises `MetricError` that points at the fault."""
    flags = (re.IGNORECASE if ignore_case else 0) | (re.MULTILINE | re.DOTALL if multiline else 0)
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        place = "" if error.pos is None else f" at character {error.pos + 1}"
        raise MetricError(f"{pattern!r} is no regular expression: {error.msg}{place}") from error
    except (OverflowError, RecursionError) as error:
        raise MetricError(f"the regular expression {pattern!r:.80} is too large: {error}") from error


async def find(pattern: re.Pattern[str], text: str, *, whole: bool = False) -> str | None:
    """The first part of ``text`` that matches (``whole``: the text itself if it matches), else None.

    Raises `MetricError` when the search takes longer than two seconds.
    """
    if steps_at_worst(pattern.pattern, len(text)) <= STEPS_INLINE:
        match = pattern.fullmatch(text) if whole else pattern.search(text)
        return None if match is None else match.group()
    span = await in_thread(_find_in_process, pattern, text, "fullmatch" if whole else "search")
    return None if span is None else text[span[0] : span[1]]


def steps_at_worst(pattern: str, length: int) -> float:
    """An upper bound, by order of magnitude, of the steps that a backtracking search takes; infinity when nested.

    Every quantifier multiplies the ways to match, by the length of the text at most; a quantifier on a group that holds
    a quantifier or an alternative, or a back-reference, can make them exponential.
    """
    size = float(max(length, 1))
    steps = size
    is_risky_group: list[bool] = [False]
    closed_risky = False
    for part in _tokens(pattern):
        if part == "(":
            is_risky_group.append(False)
        elif part == ")":
            closed_risky = is_risky_group.pop() if len(is_risky_group) > 1 else False
            is_risky_group[-1] = is_risky_group[-1] or closed_risky
            continue
        elif part == "|":
            steps *= 2
            is_risky_group[-1] = True
        elif part == "backreference":
            return float("inf")
        elif part[0] in "?*+{":
            if closed_risky and part != "?":
                return float("inf")
            ways = _ways(part, size)
            steps *= ways
            is_risky_group[-1] = is_risky_group[-1] or ways > 1
        closed_risky = False
    return steps


_TOKEN = re.compile(
    r"""(?P<backreference>\\[1-9]|\(\?P=)
      | (?P<literal>\\.|\[\^?\]?(?:\\.|[^\]\\])*\])
      | (?P<open>\((?:\?(?:P?<[^>=!]*>|<?[=!:>]|[a-zA-Z-]+:|\#))?)
      | (?P<close>\))
      | (?P<repeat>\{\d*,?\d*\})
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


def _tokens(pattern: str) -> list[str]:
    names = {"open": "(", "close": ")", "backreference": "backreference", "literal": "x"}
    return [names.get(match.lastgroup or "", match.group()) for match in _TOKEN.finditer(pattern)]


def _ways(quantifier: str, size: float) -> float:
    """How many numbers of repeats a quantifier allows on a text of this size."""
    if quantifier == "?":
        return 2
    low, comma, high = quantifier.strip("{}").partition(",")
    if quantifier[0] != "{" or (comma and not high):
        return size
    return 1 + (int(high) - int(low or 0) if comma else 0)


def _find_in_process(pattern: re.Pattern[str], text: str, how: str) -> tuple[int, int] | None:
    job = {"how": how, "pattern": pattern.pattern, "flags": pattern.flags, "text": text}
    command = [sys.executable, "-I", "-S", "-c", _WORKER]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and our own program
            command, input=json.dumps(job), capture_output=True, text=True, timeout=TIMEOUT_S, check=True
        )
    except subprocess.TimeoutExpired as error:
        raise MetricError(
            f"the regular expression {pattern.pattern!r} took more than {TIMEOUT_S:g} s on {len(text)} characters",
            hint="avoid repeats inside repeats, such as (a+)+",
        ) from error
    except subprocess.CalledProcessError as error:
        raise MetricError(f"the regular expression {pattern.pattern!r} failed: {error.stderr[-200:]}") from error
    span = json.loads(done.stdout)
    return None if span is None else (span[0], span[1])
