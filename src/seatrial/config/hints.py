"""What was probably meant by a value that cannot be taken as it is."""

from __future__ import annotations

import re

_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
_SEPARATED = re.compile(r"\d{1,3}(?:[,' _]\d{3})+")
_TIMES = {"k": 1000, "m": 1_000_000, "s": 1, "sec": 1, "seconds": 1, "tokens": 1, "ms": 1, "usd": 1, "$": 1}


def number_meant(text: str, *, is_whole: bool) -> str | None:
    """``write `3``` for ``three``, 0.4 for ``40%``, 1000 for ``1,000``; None when nothing comes to mind."""
    value = _number_in(text.strip().lower())
    if value is None or (is_whole and not value.is_integer()):
        return None
    return f"write `{int(value) if value.is_integer() else f'{value:g}'}`"


def _number_in(text: str) -> float | None:
    if text in _WORDS:
        return float(_WORDS.index(text))
    if _SEPARATED.fullmatch(text):
        return float(re.sub(r"\D", "", text))
    found = _NUMBER.match(text)
    if found is None:
        fraction = re.fullmatch(r"\$\s*(\d+(?:\.\d+)?)", text)
        return float(fraction[1]) if fraction is not None else None
    number = float(found[0].replace(",", "."))
    unit = text[found.end() :].strip()
    if unit == "%":
        return number / 100
    if unit.startswith("/") and unit[1:].isdigit() and int(unit[1:]) > 0:
        return number / int(unit[1:])
    return number * _TIMES[unit] if unit in _TIMES else number if not unit else None


def name_meant(text: str, pattern: str, joint: str) -> str | None:
    """``write `gym-desk``` for ``gym desk``: the name with other characters joined out; None when none is left."""
    name = re.sub(r"[^A-Za-z0-9]+", joint, text).strip(joint)
    return f"write `{name}`" if name and re.fullmatch(pattern, name) else None


def pattern_meant(error: re.error | OverflowError | RecursionError) -> str | None:
    """How the character that makes a regular expression invalid is written when it is meant as such."""
    words = str(error)
    for said, hint in (
        ("unterminated subpattern", r"close it with ), or write \( for a bracket in the text"),
        ("unbalanced parenthesis", r"open it with (, or write \) for a bracket in the text"),
        ("unterminated character set", r"close it with ], or write \[ for a bracket in the text"),
        ("nothing to repeat", r"write \* \+ or \? for such a sign in the text, .* for anything"),
        ("multiple repeat", r"write \* \+ or \? for such a sign in the text"),
        ("bad escape", r"write \\ for a backslash in the text"),
        ("bad character range", r"put the smaller character first, or the - last"),
    ):
        if said in words:
            return hint
    return None
