"""Equality of two numbers."""

from __future__ import annotations

import math
import re
import unicodedata
from typing import Literal

from seatrial.errors import MetricError
from seatrial.metrics.base import Measurement
from seatrial.metrics.text.pair import PairMetric

_PLAIN = re.compile(r"(?<![\w.,])[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w]|[.,]\d)")
_GROUPED = re.compile(
    r"(?<![\w.,])[+-]?(?:\d{1,3}(?:[,'\u2009\u202f\u00a0]\d{3})+|\d+)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w]|[.,]\d)"
)
_SEPARATORS = re.compile(r"[,'\u2009\u202f\u00a0]")
_MINUS = str.maketrans({"\u2212": "-", "\u2013": "-"})

Pick = Literal["only", "first", "last"]


class Numeric(PairMetric):
    """1 when the answer's number equals the ground truth's within the tolerances, else 0.

    ``pick`` says which number of the answer counts: with ``only`` it may name one number (several times, if it likes);
    an answer with several different ones is wrong. ``accept_percent`` reads ``12 %`` as 0.12;
    ``accept_thousands_separators`` reads ``1,234.5``. Equal means: the difference is at most ``absolute_tolerance`` or
    at most ``relative_tolerance`` times the ground truth.
    """

    name = "numeric"

    def __init__(
        self,
        *,
        absolute_tolerance: float = 1e-6,
        relative_tolerance: float = 0.0,
        accept_percent: bool = False,
        accept_thousands_separators: bool = False,
        pick: Pick = "only",
    ) -> None:
        if not all(math.isfinite(number) and number >= 0 for number in (absolute_tolerance, relative_tolerance)):
            raise MetricError("the tolerances of numeric are numbers from 0 upwards")
        if pick not in ("only", "first", "last"):
            raise MetricError(f"numeric cannot pick {pick!r}", hint="only, first or last")
        self._absolute = absolute_tolerance
        self._relative = relative_tolerance
        self._percent = accept_percent
        self._grouped = accept_thousands_separators
        self._pick: Pick = pick

    def compare(self, answer: str, ground_truth: str) -> Measurement:
        """1 or 0; details hold both numbers and their difference."""
        wanted = self._numbers(ground_truth)
        if len(set(wanted)) != 1:
            raise MetricError(f"numeric needs one number as ground truth, not {ground_truth!r}")
        given = self._numbers(answer)
        if not given:
            return Measurement(0.0, "the answer has no number", {"ground_truth": wanted[0]})
        if self._pick == "only" and len(set(given)) > 1:
            shown = ", ".join(f"{number:g}" for number in given)
            return Measurement(0.0, f"the answer has several numbers: {shown}", {"ground_truth": wanted[0]})
        number = given[-1] if self._pick == "last" else given[0]
        difference = abs(number - wanted[0])
        is_equal = difference <= max(self._absolute, self._relative * abs(wanted[0]))
        reason = "" if is_equal else f"{number:.12g} is not {wanted[0]:.12g}"
        return Measurement(
            float(is_equal), reason, {"answer": number, "ground_truth": wanted[0], "difference": difference}
        )

    def _numbers(self, text: str) -> list[float]:
        text = unicodedata.normalize("NFKC", text.replace("\u00a0", " ")).translate(_MINUS)
        pattern = _GROUPED if self._grouped else _PLAIN
        values = [self._value(match, text) for match in pattern.finditer(text)]
        return [value for value in values if math.isfinite(value)]

    def _value(self, match: re.Match[str], text: str) -> float:
        number = float(_SEPARATORS.sub("", match.group()))
        is_percent = self._percent and text[match.end() : match.end() + 3].lstrip().startswith("%")
        return number / 100 if is_percent else number
