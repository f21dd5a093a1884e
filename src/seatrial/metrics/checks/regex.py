"""A regular expression that the answer must match."""

from __future__ import annotations

from seatrial.errors import MetricError
from seatrial.metrics.base import Evidence, Measurement
from seatrial.metrics.checks.answer import EMPTY, excerpt
from seatrial.metrics.regex import compile_pattern, find


class Regex:
    """Some part of the answer, or with ``whole`` all of it, matches the pattern (Python's syntax).

    A search that takes longer than two seconds is an error. An empty answer is wrong, unless the pattern is asked for
    the whole answer and matches the empty text.
    """

    name = "regex"

    def __init__(self, *, value: str, ignore_case: bool = False, multiline: bool = False, whole: bool = False) -> None:
        if not isinstance(value, str) or not value:
            raise MetricError(f"regex takes a pattern, not {value!r}")
        self._pattern = compile_pattern(value, ignore_case=ignore_case, multiline=multiline)
        self._whole = whole

    async def measure(self, evidence: Evidence) -> Measurement:
        """1 or 0; the reason shows the part that matched."""
        if evidence.is_answer_empty and not self._whole:
            return EMPTY
        found = await find(self._pattern, evidence.output, whole=self._whole)
        shown = self._pattern.pattern
        if found is None:
            return Measurement(0.0, f"no match of {shown!r} in {excerpt(evidence)}")
        return Measurement(1.0, f"matched {found!r:.80}", is_empty_right=evidence.is_answer_empty)
